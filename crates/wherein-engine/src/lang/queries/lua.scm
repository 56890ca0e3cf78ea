; Lua: functions of every spelling, file-level variables and module fields, comments.
; Lowest pattern wins when two patterns share a name node.
(function_declaration name: (method_index_expression method: (identifier) @name)) @method
(function_declaration name: [(identifier) @name (dot_index_expression field: (identifier) @name)]) @function
(assignment_statement (variable_list . name: [(identifier) @name (dot_index_expression field: (identifier) @name)]) (expression_list . value: (function_definition))) @function
(field name: (identifier) @name value: (function_definition)) @function
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @variable)
(chunk (variable_declaration (variable_list name: (identifier) @name)) @variable)
(chunk (assignment_statement (variable_list name: [(identifier) @name (dot_index_expression field: (identifier) @name)])) @variable)
(comment) @doc
