; Go: functions, methods, types, interface methods, package-level consts and vars, comments. Def node of const/var/type is the spec.
; Lowest pattern wins when two patterns share a name node.
(function_declaration name: (identifier) @name) @function
(method_declaration name: (field_identifier) @name) @method
(method_elem name: (field_identifier) @name) @method
(type_spec name: (type_identifier) @name type: (struct_type)) @struct
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(source_file (const_declaration (const_spec name: (identifier) @name) @constant))
(source_file (var_declaration [(var_spec name: (identifier) @name) @variable (var_spec_list (var_spec name: (identifier) @name) @variable)]))
(comment) @doc
