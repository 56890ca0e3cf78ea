; Bash: function definitions, comments.
(function_definition name: (word) @name) @function
(comment) @doc
