; Zig: functions, containers, container-level constants and variables, tests, comments.
; Lowest pattern wins when two patterns share a name node.
(variable_declaration "const" . (identifier) @name (struct_declaration)) @struct
(variable_declaration "const" . (identifier) @name (enum_declaration)) @enum
(variable_declaration "const" . (identifier) @name (union_declaration)) @union
(variable_declaration "const" . (identifier) @name [(error_set_declaration) (opaque_declaration)]) @type
(source_file (function_declaration name: (identifier) @name) @function)
(function_declaration name: (identifier) @name) @method
(source_file (variable_declaration "const" . (identifier) @name) @constant)
(source_file (variable_declaration "var" . (identifier) @name) @variable)
(struct_declaration (variable_declaration ["const" "var"] . (identifier) @name) @constant)
(enum_declaration (variable_declaration ["const" "var"] . (identifier) @name) @constant)
(union_declaration (variable_declaration ["const" "var"] . (identifier) @name) @constant)
(opaque_declaration (variable_declaration ["const" "var"] . (identifier) @name) @constant)
(test_declaration [(string (string_content) @name) (identifier) @name]) @test
(comment) @doc
