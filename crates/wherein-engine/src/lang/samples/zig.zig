//! Fixed size stack without allocation.
const std = @import("std");

/// Most items a stack may hold.
pub const max_items: usize = 128;
var pushes: u32 = 0;

pub const Error = error{ Full, Empty };

pub const Mode = enum { strict, lax };

const Value = union(enum) {
    int: i64,
    text: []const u8,
};

/// A point of the map.
pub const Point = struct {
    x: i32,
    y: i32 = 0,

    const origin = Point{ .x = 0 };

    /// Moves by another point.
    pub fn add(self: Point, o: Point) Point {
        const nx = self.x + o.x;
        return .{ .x = nx, .y = self.y + o.y };
    }
};

pub fn Stack(comptime T: type) type {
    return struct {
        items: [max_items]T = undefined,
        len: usize = 0,

        const Self = @This();

        pub fn push(self: *Self, v: T) !void {
            if (self.len == max_items) return Error.Full;
            self.items[self.len] = v;
            self.len += 1;
        }
    };
}

extern "c" fn getpid() c_int;

test "push one" {
    var s = Stack(u8){};
    try s.push(1);
}
test Point {}
