; Ruby: modules, classes, methods, constants, attr_* accessors, comments.
(method) @function
(singleton_method) @method
(class) @class
(module) @module
(assignment left: (constant) @name) @constant
(call method: (identifier) @_a arguments: (argument_list (simple_symbol) @name) (#any-of? @_a "attr_accessor" "attr_reader" "attr_writer")) @property
(comment) @doc
