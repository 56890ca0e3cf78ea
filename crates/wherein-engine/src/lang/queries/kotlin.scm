; Kotlin: classes, interfaces, enums, objects, functions, constructors, properties, type aliases, comments.
(class_declaration "interface") @interface
(class_declaration (enum_class_body)) @enum
(class_declaration) @class
(object_declaration) @object
(companion_object name: (_) @name) @object
(companion_object "companion" @name) @object
(function_declaration) @function
(secondary_constructor "constructor" @name) @method
(property_declaration (variable_declaration . (identifier) @name)) @variable
(class_parameter ["val" "var"] . (identifier) @name) @property
(type_alias type: (identifier) @name) @type
[(line_comment) (block_comment)] @doc
