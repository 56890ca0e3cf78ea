; CSS: rule sets (name is the selectors), at-rules, keyframes, custom properties of rules, comments.
(rule_set (selectors) @name) @rule
(keyframes_statement (keyframes_name) @name) @rule
(media_statement . (_) @name) @rule
(supports_statement . (_) @name) @rule
(at_rule (at_keyword) @name) @rule
[(comment) (js_comment)] @doc
