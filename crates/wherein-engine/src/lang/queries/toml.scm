; TOML: top-level pairs, tables, pairs of tables, comments.
(document (pair . [(bare_key) (quoted_key) (dotted_key)] @name) @key)
(table . [(bare_key) (quoted_key) (dotted_key)] @name) @key
(table_array_element . [(bare_key) (quoted_key) (dotted_key)] @name) @key
(table (pair . [(bare_key) (quoted_key) (dotted_key)] @name) @key)
(table_array_element (pair . [(bare_key) (quoted_key) (dotted_key)] @name) @key)
(comment) @doc
