// Least recently used cache.
#include <list>
#include <string>
#include <unordered_map>

#define LRU_ASSERT(x) ((void)(x))

namespace store {
namespace detail { struct Node; }

/// Cache with a fixed capacity.
template <typename K, typename V>
class LruCache {
 public:
  using Pair = std::pair<K, V>;
  explicit LruCache(size_t cap) : cap_(cap) {}
  virtual ~LruCache() = default;

  /// Finds a value or null.
  const V* find(const K& key) const;
  V& operator[](const K& key) { return map_[key]; }
  bool operator==(const LruCache& o) const = default;
  explicit operator bool() const { return cap_ > 0; }
  static constexpr int kMax = 64;

 private:
  size_t cap_;
  std::unordered_map<K, V> map_;
};

enum class Policy : int { Lru, Fifo };
struct Stats { int hits = 0; int total() const { return hits; } };
union Cell { int i; float f; };
typedef std::list<int> IntList;
inline constexpr int kShards = 8;

template <typename T>
concept Hashable = requires(T t) { t.hash(); };

template <typename K, typename V>
const V* LruCache<K, V>::find(const K& key) const {
  auto it = map_.find(key);
  int local = 3;
  return it == map_.end() ? nullptr : &it->second;
}

std::string describe(const Stats& s);
std::string& describe_into(std::string& out, const Stats& s) { return out; }
template <class T> T* clone(const T* t) { return new T(*t); }
std::ostream& operator<<(std::ostream& os, const Stats& s) { return os; }
}  // namespace store

namespace store::io {
class Writer final : public Base {
  Writer();
  void write(const char* p);
};
Writer::Writer() {}
void Writer::write(const char* p) {}
}
