; Ruby: modules, classes, methods, constants, attr_* accessors, comments.
; Lowest pattern wins when two patterns share a name node.
(program (method name: (_) @name) @function)
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(class name: (_) @name) @class
(module name: (_) @name) @module
(assignment left: (constant) @name) @constant
(assignment left: (scope_resolution name: (constant) @name)) @constant
(body_statement (call !receiver method: (identifier) @_a arguments: (argument_list (simple_symbol) @name)) @property (#any-of? @_a "attr_accessor" "attr_reader" "attr_writer"))
(comment) @doc
