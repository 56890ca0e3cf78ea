; JSON: keys of the top two levels of objects, comments.
(document (object (pair key: (string (string_content) @name)) @key))
(document (object (pair value: (object (pair key: (string (string_content) @name)) @key))))
(comment) @doc
