; Kotlin: classes, interfaces, enums, objects, functions, constructors, properties, type aliases, comments.
(class_declaration "interface" (type_identifier) @name) @interface
(class_declaration (type_identifier) @name (enum_class_body)) @enum
(class_declaration (type_identifier) @name) @class
(object_declaration (type_identifier) @name) @object
(companion_object (type_identifier) @name) @object
(companion_object "companion" @name) @object
(function_declaration (simple_identifier) @name) @function
(secondary_constructor "constructor" @name) @method
(property_declaration (variable_declaration . (simple_identifier) @name)) @variable
(class_parameter (binding_pattern_kind) . (simple_identifier) @name) @property
(type_alias "typealias" . (type_identifier) @name) @type
[(line_comment) (multiline_comment)] @doc
