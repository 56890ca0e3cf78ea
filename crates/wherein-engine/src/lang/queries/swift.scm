; Swift: classes, structs, enums, actors, extensions, protocols, functions, initializers, properties outside bodies, type aliases, comments.
; Lowest pattern wins when two patterns share a name node.
(class_declaration declaration_kind: "class" name: (_) @name) @class
(class_declaration declaration_kind: "actor" name: (_) @name) @class
(class_declaration declaration_kind: "struct" name: (_) @name) @struct
(class_declaration declaration_kind: "enum" name: (_) @name) @enum
(class_declaration declaration_kind: "extension" name: (_) @name) @impl
(protocol_declaration name: (type_identifier) @name) @interface
(class_body (function_declaration name: (simple_identifier) @name) @method)
(enum_class_body (function_declaration name: (simple_identifier) @name) @method)
(protocol_function_declaration name: (simple_identifier) @name) @method
(function_declaration name: (simple_identifier) @name) @function
(function_declaration "func" . [(custom_operator) "==" "!=" "<" ">" "<=" ">=" "+" "-" "*" "/" "%"] @name) @method
(init_declaration name: "init" @name) @method
(deinit_declaration "deinit" @name) @method
(subscript_declaration "subscript" @name) @method
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @variable)
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @property)
(enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @property)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @property
(typealias_declaration name: (type_identifier) @name) @type
(associatedtype_declaration name: (type_identifier) @name) @type
(macro_declaration (simple_identifier) @name) @macro
[(comment) (multiline_comment)] @doc
