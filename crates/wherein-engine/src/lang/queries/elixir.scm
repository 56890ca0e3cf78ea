; Elixir: modules, protocols, implementations, functions, macros, guards, types, callbacks, tests, comments and @doc attributes.
; A definition is a call: it is named by its first argument.
(call target: (identifier) @_k (#eq? @_k "defmodule")) @module
(call target: (identifier) @_k (#eq? @_k "defprotocol")) @interface
(call target: (identifier) @_k (#eq? @_k "defimpl")) @impl
(call target: (identifier) @_k (#any-of? @_k "def" "defp" "defdelegate" "defn" "defnp")) @function
(call target: (identifier) @_k (#any-of? @_k "defmacro" "defmacrop" "defguard" "defguardp")) @macro
(call target: (identifier) @_k (#any-of? @_k "test" "describe" "property")) @test
(unary_operator operator: "@" operand: (call target: (identifier) @_k (#any-of? @_k "type" "typep" "opaque")) @type)
(unary_operator operator: "@" operand: (call target: (identifier) @_k (#any-of? @_k "callback" "macrocallback")) @function)
(comment) @doc
(unary_operator operator: "@" operand: (call target: (identifier) @_d (#any-of? @_d "doc" "moduledoc" "typedoc" "shortdoc"))) @doc
