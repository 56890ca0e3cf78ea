; JavaScript: functions, classes, methods, fields, functions bound to names, top-level and exported variables, comments.
; Lowest pattern wins when two patterns share a name node.
(program [(lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)])) (variable_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]))] @function)
(export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]))) @function
[(lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function body: (statement_block)) (function_expression) (generator_function)])) (variable_declaration (variable_declarator name: (identifier) @name value: [(arrow_function body: (statement_block)) (function_expression) (generator_function)]))] @function
[(lexical_declaration (variable_declarator name: (identifier) @name value: (class))) (variable_declaration (variable_declarator name: (identifier) @name value: (class)))] @class
(program [(lexical_declaration (variable_declarator name: (identifier) @name)) (variable_declaration (variable_declarator name: (identifier) @name))] @variable)
(export_statement declaration: [(lexical_declaration (variable_declarator name: (identifier) @name)) (variable_declaration (variable_declarator name: (identifier) @name))]) @variable
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(class_declaration name: (identifier) @name) @class
(method_definition name: (_) @name) @method
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @method
(field_definition property: (_) @name) @field
(assignment_expression left: [(member_expression property: (_) @name) (identifier) @name] right: [(function_expression) (arrow_function) (generator_function)]) @function
(assignment_expression left: [(member_expression property: (_) @name) (identifier) @name] right: (class)) @class
(pair key: [(property_identifier) @name (string (string_fragment) @name)] value: [(function_expression) (generator_function) (arrow_function body: (statement_block))]) @method
(comment) @doc
