; C#: namespaces, types, methods, constructors, operators, properties, fields, events, local functions, comments.
(namespace_declaration name: (_) @name) @module
(file_scoped_namespace_declaration name: (_) @name) @module
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @struct
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(delegate_declaration name: (identifier) @name) @type
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(destructor_declaration name: (identifier) @name) @method
(operator_declaration operator: _ @name) @method
(conversion_operator_declaration type: (_) @name) @method
(indexer_declaration "this" @name) @property
(local_function_statement name: (identifier) @name) @function
(property_declaration name: (identifier) @name) @property
(event_declaration name: (identifier) @name) @property
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field
(comment) @doc
