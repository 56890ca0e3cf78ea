; HTML: elements with an id (name is its value), comments. Anchors keep this cheap.
(element . (start_tag (attribute . (attribute_name) @_a . [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)])) (#eq? @_a "id")) @element
(element . (self_closing_tag (attribute . (attribute_name) @_a . [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)])) (#eq? @_a "id")) @element
(comment) @doc
