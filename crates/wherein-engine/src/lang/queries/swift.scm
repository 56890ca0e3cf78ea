; Swift: classes, actors, structs, enums, extensions, protocols, functions, initialisers, properties, type aliases, macros, comments.
(class_declaration declaration_kind: "struct") @struct
(class_declaration declaration_kind: "enum") @enum
(class_declaration declaration_kind: "extension") @impl
(class_declaration) @class
(protocol_declaration) @interface
(protocol_function_declaration) @method
(function_declaration) @function
(init_declaration name: "init" @name) @method
(deinit_declaration "deinit" @name) @method
(subscript_declaration "subscript" @name) @method
(property_declaration) @variable
(protocol_property_declaration) @property
(typealias_declaration) @type
(associatedtype_declaration) @type
(macro_declaration (simple_identifier) @name) @macro
[(comment) (multiline_comment)] @doc
