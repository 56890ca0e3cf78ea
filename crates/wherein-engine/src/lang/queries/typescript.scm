; TypeScript: functions, classes, methods, fields, interfaces, types, enums, namespaces, top-level and exported variables, comments.
; Lowest pattern wins when two patterns share a name node.
(program [(lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)])) (variable_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]))] @function)
(export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]))) @function
[(lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function body: (statement_block)) (function_expression) (generator_function)])) (variable_declaration (variable_declarator name: (identifier) @name value: [(arrow_function body: (statement_block)) (function_expression) (generator_function)]))] @function
[(lexical_declaration (variable_declarator name: (identifier) @name value: (class))) (variable_declaration (variable_declarator name: (identifier) @name value: (class)))] @class
(program [(lexical_declaration (variable_declarator name: (identifier) @name)) (variable_declaration (variable_declarator name: (identifier) @name))] @variable)
(export_statement declaration: [(lexical_declaration (variable_declarator name: (identifier) @name)) (variable_declaration (variable_declarator name: (identifier) @name))]) @variable
(ambient_declaration [(lexical_declaration (variable_declarator name: (identifier) @name)) (variable_declaration (variable_declarator name: (identifier) @name))]) @variable
(export_statement decorator: (decorator) declaration: (class_declaration name: (type_identifier) @name)) @class
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(function_signature name: (identifier) @name) @function
(class_declaration name: (type_identifier) @name) @class
(abstract_class_declaration name: (type_identifier) @name) @class
(interface_declaration name: (type_identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(type_alias_declaration name: (type_identifier) @name) @type
(internal_module name: [(identifier) @name (nested_identifier) @name (string (string_fragment) @name)]) @module
(module name: [(identifier) @name (nested_identifier) @name (string (string_fragment) @name)]) @module
(method_definition name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(class_body (method_signature name: (_) @name) @method)
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
(public_field_definition name: (_) @name) @field
(assignment_expression left: [(member_expression property: (_) @name) (identifier) @name] right: [(function_expression) (arrow_function) (generator_function)]) @function
(assignment_expression left: [(member_expression property: (_) @name) (identifier) @name] right: (class)) @class
(pair key: [(property_identifier) @name (string (string_fragment) @name)] value: [(function_expression) (generator_function) (arrow_function body: (statement_block))]) @method
(comment) @doc
