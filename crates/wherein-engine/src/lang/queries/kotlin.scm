; Kotlin: classes, interfaces, enums, objects, functions, constructors, properties outside bodies, type aliases, comments.
; Lowest pattern wins when two patterns share a name node.
(class_declaration "interface" name: (identifier) @name) @interface
(class_declaration name: (identifier) @name (enum_class_body)) @enum
(class_declaration name: (identifier) @name) @class
(object_declaration name: (identifier) @name) @object
(companion_object name: (identifier) @name) @object
(companion_object "companion" @name !name) @object
(class_body (function_declaration name: (identifier) @name) @method)
(enum_class_body (function_declaration name: (identifier) @name) @method)
(function_declaration name: (identifier) @name) @function
(secondary_constructor "constructor" @name) @method
(source_file (property_declaration (modifiers (property_modifier "const")) (variable_declaration . (identifier) @name)) @constant)
(class_body (property_declaration (modifiers (property_modifier "const")) (variable_declaration . (identifier) @name)) @constant)
(source_file (property_declaration (variable_declaration . (identifier) @name)) @variable)
(class_body (property_declaration (variable_declaration . (identifier) @name)) @property)
(enum_class_body (property_declaration (variable_declaration . (identifier) @name)) @property)
(class_parameter ["val" "var"] . (identifier) @name) @property
(type_alias type: (identifier) @name) @type
[(line_comment) (block_comment)] @doc
