; Scala: classes, traits, objects, enums, functions, values, givens, types, extensions, comments.
(class_definition) @class
(trait_definition) @trait
(object_definition) @object
(package_object) @object
(enum_definition) @enum
(function_definition) @function
(function_declaration) @function
(val_definition) @variable
(var_definition) @variable
(val_declaration) @variable
(var_declaration) @variable
(given_definition) @constant
(type_definition) @type
(extension_definition parameters: (parameters (parameter type: (_) @name))) @impl
[(comment) (block_comment)] @doc
