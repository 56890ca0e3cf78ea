; Haskell: top-level and class/instance functions, data, newtypes, type synonyms and families, classes, instances, comments.
; Each equation of a function is its own node: merge neighbours of equal name.
(declarations [(function name: (_) @name) (bind name: (_) @name) (function (infix operator: (_) @name)) (function (infix operator: (infix_id (variable) @name)))] @function)
(class_declarations [(function name: (_) @name) (bind name: (_) @name) (function (infix operator: (_) @name)) (signature name: (_) @name)] @method)
(instance_declarations [(function name: (_) @name) (bind name: (_) @name) (function (infix operator: (_) @name))] @method)
(data_type name: (_) @name) @type
(newtype name: (_) @name) @type
(type_synonym name: (_) @name) @type
(type_family name: (_) @name) @type
(data_family name: (_) @name) @type
(class name: (_) @name) @class
(instance name: (_) @name) @impl
[(comment) (haddock)] @doc
