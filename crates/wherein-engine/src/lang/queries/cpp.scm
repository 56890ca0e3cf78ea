; C++: functions and prototypes, methods, classes, structs, unions, enums, namespaces, aliases, concepts, macros, fields,
; namespace-level variables, comments. Declarations are named by their declarator.
(field_declaration_list (template_declaration [(function_definition) (declaration)]) @method)
(field_declaration_list [(function_definition) (declaration declarator: (function_declarator))] @method)
(field_declaration_list (field_declaration declarator: [(function_declarator) (pointer_declarator declarator: (function_declarator)) (reference_declarator (function_declarator))]) @method)
(template_declaration [(function_definition) (declaration)]) @function
(function_definition) @function
(declaration declarator: [(function_declarator) (pointer_declarator declarator: (function_declarator)) (reference_declarator (function_declarator))]) @function
(template_declaration (class_specifier name: (_) @name body: (_))) @class
(template_declaration (struct_specifier name: (_) @name body: (_))) @struct
(template_declaration [(alias_declaration name: (_) @name) (concept_definition name: (_) @name)]) @type
(class_specifier name: (_) @name body: (_)) @class
(type_definition type: (struct_specifier body: (_)) declarator: (_) @name) @struct
(type_definition type: (union_specifier body: (_)) declarator: (_) @name) @union
(type_definition type: (enum_specifier body: (_)) declarator: (_) @name) @enum
(type_definition) @type
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @union
(enum_specifier name: (_) @name body: (_)) @enum
(namespace_definition name: (_) @name) @module
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type
(preproc_def name: (identifier) @name value: (_)) @macro
(preproc_function_def name: (identifier) @name) @macro
(field_declaration) @field
(translation_unit (declaration) @variable)
(declaration_list (declaration) @variable)
(preproc_ifdef (declaration) @variable)
(comment) @doc
