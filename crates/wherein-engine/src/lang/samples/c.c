/* Ring buffer of samples, single producer. */
#include <stddef.h>
#include <stdlib.h>

#define RING_MAX 256
#define RING_NEXT(i) (((i) + 1) % RING_MAX)

/* One reading of a probe. */
struct sample {
    unsigned long at;
    double value;
};

typedef struct ring {
    struct sample *items;
    size_t head, tail;
} ring_t;

typedef int (*visit_fn)(const struct sample *, void *);
typedef unsigned int u32, *u32_ptr;

enum ring_state { RING_EMPTY, RING_PARTIAL, RING_FULL };
union word { float f; unsigned u; };

typedef struct { int x; } point_t;
static int drops;
extern const char *ring_version;
const int table[3] = { 1, 2, 3 };

ring_t *ring_new(size_t n);
static void (*on_drop)(int);
void (*signal_like(int sig, void (*fn)(int)))(int);

/** Allocates a ring. Returns NULL without memory. */
ring_t *ring_new(size_t n)
{
    ring_t *r = malloc(sizeof *r);
    if (!r)
        return NULL;
    r->items = calloc(n, sizeof(struct sample));
    return r;
}

#ifdef WITH_PUSH
static inline int ring_push(ring_t *r, struct sample s)
{
    size_t next = RING_NEXT(r->head);
    if (next == r->tail) { drops++; return -1; }
    r->items[r->head] = s;
    r->head = next;
    return 0;
}
#endif

const struct sample **ring_all(ring_t *r) { return NULL; }
