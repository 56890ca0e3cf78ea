; PHP: namespaces, classes, interfaces, traits, enums, functions, methods, properties, constants, comments.
; Lowest pattern wins when two patterns share a name node.
(namespace_definition name: (_) @name) @module
(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(trait_declaration name: (name) @name) @trait
(enum_declaration name: (name) @name) @enum
(function_definition name: (name) @name) @function
(method_declaration name: (name) @name) @method
(property_declaration (property_element name: (variable_name (name) @name))) @property
(property_promotion_parameter name: (variable_name (name) @name)) @property
(const_declaration (const_element . (name) @name)) @constant
(comment) @doc
