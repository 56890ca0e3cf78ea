; Python: classes, methods, functions (with their decorators), module variables, class attributes, type aliases, comments and docstrings.
; Lowest pattern wins when two patterns share a name node.
(class_definition body: (block (decorated_definition definition: (function_definition name: (identifier) @name)) @method))
(class_definition body: (block (function_definition name: (identifier) @name) @method))
(decorated_definition definition: (function_definition name: (identifier) @name)) @function
(decorated_definition definition: (class_definition name: (identifier) @name)) @class
(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @class
(module (expression_statement . (assignment left: (identifier) @name)) @variable)
(class_definition body: (block (expression_statement . (assignment left: (identifier) @name)) @field))
(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @type
(comment) @doc
(module . (comment)* . (expression_statement . [(string) (concatenated_string)] @doc))
(block . (comment)* . (expression_statement . [(string) (concatenated_string)] @doc))
