; Java: classes, interfaces, annotations, enums, records, methods, constructors, fields, comments.
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(annotation_type_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(module_declaration name: (_) @name) @module
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(compact_constructor_declaration name: (identifier) @name) @method
(annotation_type_element_declaration name: (identifier) @name) @method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @constant
[(line_comment) (block_comment)] @doc
