; Python: classes, functions (with their decorators), module variables, class attributes, type aliases, comments and docstrings.
(function_definition) @function
(class_definition) @class
(decorated_definition) @function
(module (expression_statement (assignment left: (identifier) @name)) @variable)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @field))
(type_alias_statement) @type
(comment) @doc
(expression_statement . (string) .) @doc
