package org.example.stock;

import java.util.*;

/**
 * Keeps the stock of one shop.
 */
public class Inventory<T extends Inventory.Item> implements AutoCloseable {
    private static final int LIMIT = 500;
    protected final Map<String, T> items = new HashMap<>(), reserved = new HashMap<>();

    /** Builds an empty inventory. */
    public Inventory(String shop) {
        String trimmed = shop.trim();
        this.name = trimmed;
    }

    private String name;

    @Override
    public void close() {
        items.clear();
    }

    /** Finds an item, or null. */
    public <R extends T> T find(String sku) {
        Runnable r = new Runnable() {
            @Override public void run() { }
        };
        return items.get(sku);
    }

    public interface Item {
        int SIZE = 3;
        String sku();
        default int count() { return 0; }
    }

    enum Level {
        LOW(1), HIGH(9);
        private final int value;
        Level(int v) { this.value = v; }
        int value() { return value; }
    }

    record Line(String sku, int count) implements Item {
        Line {
            if (count < 0) throw new IllegalArgumentException();
        }
    }

    @interface Audited {
        String by() default "nobody";
    }
}
