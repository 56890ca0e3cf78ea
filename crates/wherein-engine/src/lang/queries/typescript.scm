; TypeScript and TSX: as JavaScript, and interfaces, enums, types, namespaces, abstract members, signatures.
(function_declaration) @function
(generator_function_declaration) @function
(class_declaration) @class
(function_signature) @function
(abstract_class_declaration) @class
(interface_declaration) @interface
(enum_declaration) @enum
(type_alias_declaration) @type
(internal_module) @module
(module) @module
(abstract_method_signature) @method
(class_body (method_signature) @method)
(method_definition) @method
(variable_declarator name: (identifier) @name value: (arrow_function)) @function
(variable_declarator name: (identifier) @name value: (function_expression)) @function
(variable_declarator name: (identifier) @name value: (generator_function)) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(program (lexical_declaration (variable_declarator) @variable))
(program (variable_declaration (variable_declarator) @variable))
(export_statement (lexical_declaration (variable_declarator) @variable))
(public_field_definition name: (_) @name value: (arrow_function)) @method
(public_field_definition) @field
(assignment_expression left: (member_expression property: (_) @name) right: (function_expression)) @function
(assignment_expression left: (member_expression property: (_) @name) right: (arrow_function)) @function
(assignment_expression left: (member_expression property: (_) @name) right: (class)) @class
(pair key: (_) @name value: (function_expression)) @method
(pair key: (_) @name value: (arrow_function body: (statement_block))) @method
(comment) @doc
