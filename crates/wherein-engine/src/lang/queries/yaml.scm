; YAML: keys of the top two levels of mappings, comments.
(document (block_node (block_mapping (block_mapping_pair key: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @name)) @key)))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping (block_mapping_pair key: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @name)) @key))))))
(document (block_node (block_mapping (block_mapping_pair value: (flow_node (flow_mapping (flow_pair key: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @name)) @key))))))
(document (flow_node (flow_mapping (flow_pair key: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @name)) @key)))
(comment) @doc
