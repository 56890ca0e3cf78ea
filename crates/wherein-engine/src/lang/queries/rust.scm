; Rust: items, impl/trait methods, consts and statics outside bodies, macros, #[test] functions, comments.
; Lowest pattern wins when two patterns share a name node.
((attribute_item (attribute [(identifier) @_t (scoped_identifier name: (identifier) @_t)])) . (attribute_item)* . (function_item name: (identifier) @name) @test (#eq? @_t "test"))
(impl_item body: (declaration_list (function_item name: (identifier) @name) @method))
(trait_item body: (declaration_list [(function_item name: (identifier) @name) (function_signature_item name: (identifier) @name)] @method))
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(union_item name: (type_identifier) @name) @union
(trait_item name: (type_identifier) @name) @trait
(impl_item type: (_) @name) @impl
(mod_item name: (identifier) @name body: (_)) @module
(macro_definition name: (identifier) @name) @macro
(type_item name: (type_identifier) @name) @type
(associated_type name: (type_identifier) @name) @type
(source_file [(const_item name: (identifier) @name) (static_item name: (identifier) @name)] @constant)
(declaration_list [(const_item name: (identifier) @name) (static_item name: (identifier) @name)] @constant)
[(line_comment) (block_comment)] @doc
