; SQL: tables, views, functions, indexes, triggers, types, sequences, schemas, comments.
(create_table (object_reference) @name) @table
(create_view . (_)* . (keyword_view) . (keyword_if)? . (keyword_not)? . (keyword_exists)? . (object_reference) @name) @view
(create_materialized_view (object_reference) @name) @view
(create_function . (_)* . [(keyword_function) (keyword_procedure)] . (object_reference) @name) @function
(create_index column: (identifier) @name) @key
(create_trigger (keyword_trigger) . (keyword_if)? . (keyword_not)? . (keyword_exists)? . (object_reference) @name) @function
(create_type (object_reference) @name) @type
(create_sequence (object_reference) @name) @variable
(create_schema (identifier) @name) @module
[(comment) (marginalia)] @doc
