defmodule Shop.Basket do
  @moduledoc """
  A basket of lines, kept in a process.
  """
  use GenServer
  alias Shop.Line

  @max_lines 40
  @type t :: %__MODULE__{lines: [Line.t()]}

  defstruct lines: [], owner: nil

  defguard is_small(n) when n < 10

  @doc "Starts a basket."
  @spec start_link(keyword()) :: GenServer.on_start()
  def start_link(opts \\ []) do
    GenServer.start_link(__MODULE__, opts)
  end

  # Called by GenServer.
  @impl true
  def init(opts), do: {:ok, struct(__MODULE__, opts)}

  def add(%{lines: lines} = b, line) when is_map(line) do
    count = length(lines)
    if count < @max_lines, do: %{b | lines: [line | lines]}, else: b
  end

  def left <~> right, do: left == right

  defp total(lines), do: Enum.sum(lines)

  def empty?, do: true

  defmacro with_lock(name, do: block) do
    quote do: Shop.Lock.run(unquote(name), fn -> unquote(block) end)
  end

  defmodule Error do
    defexception [:message]
  end
end

defprotocol Shop.Printable do
  def print(thing)
end

defimpl Shop.Printable, for: Shop.Basket do
  def print(b), do: inspect(b)
end

defmodule Shop.BasketTest do
  use ExUnit.Case

  describe "adding" do
    test "keeps order", %{conn: _conn} do
      assert true
    end
  end

  test "starts empty" do
    assert true
  end
end
