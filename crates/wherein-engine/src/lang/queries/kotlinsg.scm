; Kotlin (tree-sitter-kotlin-sg): classes, interfaces, enums, objects, functions, constructors, properties outside bodies, type aliases, comments.
; Lowest pattern wins when two patterns share a name node.
(class_declaration "interface" (type_identifier) @name) @interface
(class_declaration (type_identifier) @name (enum_class_body)) @enum
(class_declaration (type_identifier) @name) @class
(object_declaration (type_identifier) @name) @object
(companion_object "companion" @name) @object
(class_body (function_declaration (simple_identifier) @name) @method)
(enum_class_body (function_declaration (simple_identifier) @name) @method)
(function_declaration (simple_identifier) @name) @function
(secondary_constructor "constructor" @name) @method
(source_file (property_declaration (modifiers (property_modifier "const")) (variable_declaration . (simple_identifier) @name)) @constant)
(class_body (property_declaration (modifiers (property_modifier "const")) (variable_declaration . (simple_identifier) @name)) @constant)
(source_file (property_declaration (variable_declaration . (simple_identifier) @name)) @variable)
(class_body (property_declaration (variable_declaration . (simple_identifier) @name)) @property)
(enum_class_body (property_declaration (variable_declaration . (simple_identifier) @name)) @property)
(class_parameter (binding_pattern_kind) . (simple_identifier) @name) @property
(type_alias "typealias" . (type_identifier) @name) @type
[(line_comment) (multiline_comment)] @doc
