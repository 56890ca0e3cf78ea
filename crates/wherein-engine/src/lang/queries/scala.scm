; Scala: classes, traits, objects, enums, defs, vals and vars outside bodies, givens, extensions, types, comments.
; Lowest pattern wins when two patterns share a name node.
(class_definition name: (_) @name) @class
(trait_definition name: (_) @name) @trait
(object_definition name: (_) @name) @object
(package_object name: (_) @name) @object
(enum_definition name: (_) @name) @enum
(template_body [(function_definition name: (_) @name) (function_declaration name: (_) @name)] @method)
(with_template_body [(function_definition name: (_) @name) (function_declaration name: (_) @name)] @method)
(enum_body [(function_definition name: (_) @name) (function_declaration name: (_) @name)] @method)
(extension_definition body: [(function_definition name: (_) @name) (function_declaration name: (_) @name)] @method)
(function_definition name: (_) @name) @function
(function_declaration name: (_) @name) @function
(compilation_unit [(val_definition pattern: [(identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)]) (var_definition pattern: (identifier) @name)] @variable)
(template_body [(val_definition pattern: [(identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)]) (var_definition pattern: (identifier) @name) (val_declaration name: (_) @name) (var_declaration name: (_) @name)] @field)
(with_template_body [(val_definition pattern: (identifier) @name) (var_definition pattern: (identifier) @name)] @field)
(enum_body [(val_definition pattern: (identifier) @name) (var_definition pattern: (identifier) @name)] @field)
(given_definition name: (_) @name) @constant
(given_definition !name return_type: (_) @name) @constant
(type_definition name: (type_identifier) @name) @type
(extension_definition parameters: (parameters (parameter type: (_) @name))) @impl
[(comment) (block_comment)] @doc
