"""A small read-through cache for price lookups."""
from dataclasses import dataclass
import asyncio
import time

DEFAULT_TTL = 60.0
_registry: dict[str, "PriceCache"] = {}
type Price = float | int


class CacheMiss(KeyError):
    """Raised when a price was never stored."""


@dataclass
class Entry:
    price: float
    stored_at: float = 0.0


class PriceCache:
    """Keeps prices for a while."""

    max_size = 1000

    def __init__(self, ttl: float = DEFAULT_TTL):
        self.ttl = ttl
        self._data: dict[str, Entry] = {}

    @property
    def size(self) -> int:
        return len(self._data)

    def get(self, sku):
        """Return the cached price or raise CacheMiss."""
        entry = self._data.get(sku)
        if entry is None or time.time() - entry.stored_at > self.ttl:
            raise CacheMiss(sku)
        return entry.price

    @staticmethod
    async def warm(cache, skus):
        async def one(sku):
            await asyncio.sleep(0)
            cache._data[sku] = Entry(1.0)

        await asyncio.gather(*(one(s) for s in skus))


# Shared instance lookup.
def cache_for(region, *, ttl=None):
    local = _registry.get(region)
    return local or PriceCache(ttl or DEFAULT_TTL)
