; C++: functions and prototypes, methods, classes, structs, unions, enums, namespaces, aliases, concepts, macros, fields,
; variables, comments. Named by their declarators; a declarator that takes arguments makes a function.
(function_definition) @function
(class_specifier body: (_)) @class
(struct_specifier body: (_)) @struct
(union_specifier body: (_)) @union
(enum_specifier body: (_)) @enum
(type_definition) @type
(namespace_definition) @module
(alias_declaration) @type
(concept_definition) @type
(preproc_def) @macro
(preproc_function_def) @macro
(field_declaration) @field
(declaration) @variable
(template_declaration) @function
(comment) @doc
