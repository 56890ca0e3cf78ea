; C: functions and prototypes, structs, unions, enums, typedefs, macros, fields, variables, comments.
; Named by their declarators; a declarator that takes arguments makes a function.
(function_definition) @function
(struct_specifier body: (_)) @struct
(union_specifier body: (_)) @union
(enum_specifier body: (_)) @enum
(type_definition) @type
(preproc_def) @macro
(preproc_function_def) @macro
(field_declaration) @field
(declaration) @variable
(comment) @doc
