; Elixir: modules, protocols, implementations, functions, macros, guards, types, callbacks, tests, comments and @doc attributes.
; Lowest pattern wins when two patterns share a name node.
(call . target: (identifier) @_k . (arguments . [(alias) (atom)] @name) . (do_block) (#eq? @_k "defmodule")) @module
(call . target: (identifier) @_k . (arguments . (alias) @name) . (do_block) (#eq? @_k "defprotocol")) @interface
(call . target: (identifier) @_k . (arguments . (alias) @name (keywords)) . (do_block) (#eq? @_k "defimpl")) @impl
(call . target: (identifier) @_k . (arguments . [(identifier) @name (call target: (identifier) @name) (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")]) (#any-of? @_k "def" "defp" "defdelegate" "defn" "defnp")) @function
(call . target: (identifier) @_k . (arguments . [(identifier) @name (call target: (identifier) @name) (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")]) (#any-of? @_k "defmacro" "defmacrop" "defguard" "defguardp")) @macro
(call . target: (identifier) @_k . (arguments . (binary_operator left: (_) operator: _ @name)) (#any-of? @_k "def" "defp" "defmacro") (#not-eq? @name "when")) @function
(call . target: (identifier) @_k . (arguments . (string (quoted_content) @name)) . (do_block) (#any-of? @_k "test" "describe" "property")) @test
(unary_operator operator: "@" operand: (call . target: (identifier) @_k . (arguments . (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::"))) (#any-of? @_k "type" "typep" "opaque")) @type
(unary_operator operator: "@" operand: (call . target: (identifier) @_k . (arguments . (binary_operator left: (call target: (identifier) @name) operator: "::"))) (#any-of? @_k "callback" "macrocallback")) @function
(comment) @doc
(unary_operator operator: "@" operand: (call target: (identifier) @_d . (arguments . [(string) (sigil)])) (#any-of? @_d "doc" "moduledoc" "typedoc" "shortdoc")) @doc
