; Dart: classes, mixins, enums, extensions, functions, methods, constructors, accessors, fields, top-level variables, comments.
; Lowest pattern wins when two patterns share a name node.
(class_declaration name: (identifier) @name) @class
(class_declaration (mixin_application_class . (identifier) @name)) @class
(mixin_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @enum
(extension_declaration name: (identifier) @name) @impl
(extension_type_declaration name: [(identifier) @name (extension_type_name . (identifier) @name)]) @type
(type_alias . (annotation)* . (type_identifier) @name) @type
(member_declaration (method_declaration signature: (method_signature [(function_signature name: (identifier) @name) (getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name) (operator_signature operator: _ @name)]))) @method
(member_declaration (declaration [(function_signature name: (identifier) @name) (getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name) (operator_signature operator: _ @name)])) @method
(member_declaration [(declaration [(constructor_signature name: (identifier) @name . parameters: (_)) (constant_constructor_signature name: (identifier) @name . parameters: (_)) (factory_constructor_signature name: (identifier) @name . parameters: (_)) (redirecting_factory_constructor_signature name: (identifier) @name . parameters: (_))]) (method_declaration signature: (method_signature [(constructor_signature name: (identifier) @name . parameters: (_)) (factory_constructor_signature name: (identifier) @name . parameters: (_))]))]) @method
(member_declaration (declaration [(initialized_identifier_list (initialized_identifier name: (identifier) @name)) (static_final_declaration_list (static_final_declaration name: (identifier) @name)) (identifier_list (identifier) @name)])) @field
(function_declaration signature: (function_signature name: (identifier) @name)) @function
(getter_declaration signature: (getter_signature name: (identifier) @name)) @function
(setter_declaration signature: (setter_signature name: (identifier) @name)) @function
(external_function_declaration signature: (function_signature name: (identifier) @name)) @function
(local_function_declaration (function_signature name: (identifier) @name)) @function
(top_level_variable_declaration [(static_final_declaration_list (static_final_declaration name: (identifier) @name)) (initialized_identifier_list (initialized_identifier name: (identifier) @name))]) @variable
[(comment) (documentation_comment)] @doc
