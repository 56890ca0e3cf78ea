; Haskell: functions, data, newtypes, type synonyms and families, classes, instances, comments.
(function name: (_) @name) @function
(bind name: (_) @name) @function
(function (infix operator: (_) @name)) @function
(data_type name: (_) @name) @type
(newtype name: (_) @name) @type
(type_synonym name: (_) @name) @type
(type_family name: (_) @name) @type
(data_family name: (_) @name) @type
(class name: (_) @name) @class
(class_declarations (signature name: (_) @name) @method)
(instance name: (_) @name) @impl
[(comment) (haddock)] @doc
