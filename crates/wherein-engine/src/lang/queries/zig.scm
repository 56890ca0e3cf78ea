; Zig: functions, containers, constants and variables outside functions, tests, comments.
(variable_declaration "const" . (identifier) @name (struct_declaration)) @struct
(variable_declaration "const" . (identifier) @name (enum_declaration)) @enum
(variable_declaration "const" . (identifier) @name (union_declaration)) @union
(variable_declaration "const" . (identifier) @name (error_set_declaration)) @type
(variable_declaration "const" . (identifier) @name (opaque_declaration)) @type
(function_declaration) @function
(variable_declaration "const" . (identifier) @name) @constant
(variable_declaration "var" . (identifier) @name) @variable
(test_declaration (string (string_content) @name)) @test
(test_declaration (identifier) @name) @test
(comment) @doc
