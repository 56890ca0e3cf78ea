using System;
using System.Collections.Generic;

namespace Example.Orders
{
    /// <summary>One order of a customer.</summary>
    public record Order(int Id, decimal Total);

    public enum State { Open, Paid }

    public delegate void PaidHandler(Order order);

    public interface IOrderStore
    {
        int Count { get; }
        Order Find(int id);
    }

    /// <summary>Keeps orders in memory.</summary>
    public class MemoryStore<T> : IOrderStore, IDisposable where T : class
    {
        private readonly Dictionary<int, Order> _orders = new();
        public const int Limit = 100, Other = 2;
        public event PaidHandler Paid;

        public MemoryStore(string name) { Name = name; }

        public string Name { get; set; }
        public int Count => _orders.Count;

        /// <summary>Finds an order.</summary>
        [Obsolete]
        public Order Find(int id)
        {
            var local = id;
            Order Fallback(int x) => new Order(x, 0m);
            return _orders.TryGetValue(local, out var o) ? o : Fallback(id);
        }

        public async Task<T> LoadAsync<T>(string path) => default;
        public static MemoryStore<T> operator +(MemoryStore<T> a, Order b) => a;
        public Order this[int i] => Find(i);
        public void Dispose() { }
    }

    public struct Money
    {
        public decimal Amount;
    }
}
