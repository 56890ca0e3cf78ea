; JavaScript: functions, classes, methods, functions that are assigned, top-level variables, fields, comments.
(function_declaration) @function
(generator_function_declaration) @function
(class_declaration) @class
(method_definition) @method
(variable_declarator name: (identifier) @name value: (arrow_function)) @function
(variable_declarator name: (identifier) @name value: (function_expression)) @function
(variable_declarator name: (identifier) @name value: (generator_function)) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(program (lexical_declaration (variable_declarator) @variable))
(program (variable_declaration (variable_declarator) @variable))
(export_statement (lexical_declaration (variable_declarator) @variable))
(field_definition property: (_) @name value: (arrow_function)) @method
(field_definition property: (_) @name) @field
(assignment_expression left: (member_expression property: (_) @name) right: (function_expression)) @function
(assignment_expression left: (member_expression property: (_) @name) right: (arrow_function)) @function
(assignment_expression left: (member_expression property: (_) @name) right: (class)) @class
(pair key: (_) @name value: (function_expression)) @method
(pair key: (_) @name value: (arrow_function body: (statement_block))) @method
(comment) @doc
