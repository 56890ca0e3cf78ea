; C: functions and prototypes, structs, unions, enums, typedefs, macros, fields, file-level variables, comments.
; Declarations are named by their declarator, however many pointers it goes through.
(function_definition) @function
(declaration declarator: [(function_declarator) (pointer_declarator declarator: [(function_declarator) (pointer_declarator declarator: (function_declarator))])]) @function
(type_definition type: (struct_specifier body: (_)) declarator: (_) @name) @struct
(type_definition type: (union_specifier body: (_)) declarator: (_) @name) @union
(type_definition type: (enum_specifier body: (_)) declarator: (_) @name) @enum
(type_definition) @type
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @union
(enum_specifier name: (_) @name body: (_)) @enum
(preproc_def name: (identifier) @name value: (_)) @macro
(preproc_function_def name: (identifier) @name) @macro
(field_declaration) @field
(translation_unit (declaration) @variable)
(preproc_ifdef (declaration) @variable)
(comment) @doc
