; SQL: tables, views, functions, indexes, triggers, types, sequences, schemas, comments. Named by the first object reference.
(create_table (object_reference) @name) @table
(create_view (object_reference) @name) @view
(create_materialized_view (object_reference) @name) @view
(create_function (object_reference) @name) @function
(create_index column: (identifier) @name) @key
(create_trigger (object_reference) @name) @function
(create_type (object_reference) @name) @type
(create_sequence (object_reference) @name) @variable
(create_schema (identifier) @name) @module
[(comment) (marginalia)] @doc
