#include "runtime/trees/arena.h"

#include "runtime/os/os.h"
#include "runtime/process/state.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum {
	FIRST_PIECE = 4096,
	LARGEST_PIECE = 1 << 20, /* except for larger objects */
	SMALLEST_PIECE = 512,    /* smaller rests are not kept */
	LARGEST_OBJECT = STORE_BLOCK * 1024,
	LOOK_AT = 8, /* pieces that a search looks at */
	SPINS = 100,
	YIELDS = 1000,
};

/* The head of each piece. Nothing in the store refers to it. */
struct piece {
	store_ref next; /* the next piece of the arena, or the next free piece */
	uint32_t grains;
};
_Static_assert(sizeof(struct piece) <= STORE_GRAIN, "a piece's head takes one grain");

/* The free pieces, zeroed after their heads. */
static CSPROF_TOGETHER store_ref spare;
static CSPROF_TOGETHER atomic_flag spare_lock = ATOMIC_FLAG_INIT;

static struct piece *piece_at(store_ref ref)
{
	return csprof_store_at(ref);
}

/* The holder of the lock may be a thread that does not run, or code that our handler has
 * interrupted. So nobody waits long, and a caller that does not get the lock goes on without it. */
static bool lock_spare(uint32_t yields)
{
	for (uint32_t i = 0; i < SPINS; i++)
		if (!atomic_flag_test_and_set_explicit(&spare_lock, memory_order_acquire))
			return true;
	for (uint32_t i = 0; i < yields; i++) {
		os_yield();
		if (!atomic_flag_test_and_set_explicit(&spare_lock, memory_order_acquire))
			return true;
	}
	return false;
}

static void unlock_spare(void)
{
	atomic_flag_clear_explicit(&spare_lock, memory_order_release);
}

/* Make the memory after the first want bytes of a piece a free piece. The caller holds the lock. */
static void split(store_ref ref, size_t want)
{
	struct piece *p = piece_at(ref);
	uint32_t grains = (uint32_t)(want / STORE_GRAIN);
	if (p->grains < grains + SMALLEST_PIECE / STORE_GRAIN)
		return;
	*piece_at(ref + grains) = (struct piece){spare, p->grains - grains};
	spare = ref + grains;
	p->grains = grains;
}

/* A free piece of at least need bytes, if possible of want bytes; 0 if there is none. */
static store_ref take_spare(size_t need, size_t want)
{
	if (!__atomic_load_n(&spare, __ATOMIC_RELAXED) || !lock_spare(0))
		return 0;
	store_ref *link = &spare;
	for (int i = 0; i < LOOK_AT && *link; i++) {
		struct piece *p = piece_at(*link);
		if ((size_t)p->grains * STORE_GRAIN >= need)
			break;
		link = &p->next;
	}
	store_ref ref = *link;
	if (ref && (size_t)piece_at(ref)->grains * STORE_GRAIN < need)
		ref = 0;
	if (ref) {
		*link = piece_at(ref)->next;
		split(ref, want);
	}
	unlock_spare();
	return ref;
}

static store_ref take_new(size_t need, size_t want)
{
	uint32_t count = (uint32_t)((want + STORE_BLOCK - 1) / STORE_BLOCK);
	uint32_t first = csprof_store_take(count);
	if (first == STORE_MAX_BLOCKS && want > need) {
		/* little memory is left: take less */
		want = need;
		count = (uint32_t)((want + STORE_BLOCK - 1) / STORE_BLOCK);
		first = csprof_store_take(count);
	}
	if (first == STORE_MAX_BLOCKS)
		return 0;
	store_ref ref = first * STORE_BLOCK_GRAINS;
	piece_at(ref)->grains = count * STORE_BLOCK_GRAINS;
	if (lock_spare(0)) {
		split(ref, want);
		unlock_spare();
	}
	return ref;
}

void csprof_arena_init(struct csprof_arena *a, size_t first)
{
	memset(a, 0, sizeof *a);
	a->want = first > FIRST_PIECE ? (first + STORE_BLOCK - 1) & ~(size_t)(STORE_BLOCK - 1)
				      : FIRST_PIECE;
}

static bool refill(struct csprof_arena *a, size_t size)
{
	size_t need = size + STORE_GRAIN;
	size_t want = need > a->want ? need : a->want;
	store_ref ref = take_spare(need, want);
	if (!ref)
		ref = take_new(need, want);
	if (!ref)
		return false;
	struct piece *p = piece_at(ref);
	p->next = a->pieces;
	a->pieces = ref;
	a->next = ref + 1;
	a->left = (size_t)(p->grains - 1) * STORE_GRAIN;
	if (a->want < LARGEST_PIECE)
		a->want *= 2;
	return true;
}

store_ref csprof_malloc(struct csprof_arena *a, size_t size)
{
	size = (size + STORE_GRAIN - 1) & ~(size_t)(STORE_GRAIN - 1);
	if (size > a->left && (size > LARGEST_OBJECT || !refill(a, size)))
		return 0;
	store_ref ref = a->next;
	a->next += (store_ref)(size / STORE_GRAIN);
	a->left -= size;
	return ref;
}

store_ref csprof_store_string(struct csprof_arena *a, const char *bytes, size_t n)
{
	store_ref ref = csprof_malloc(a, sizeof(struct store_string) + n);
	if (ref) {
		struct store_string *s = csprof_store_at(ref);
		s->n = (uint32_t)n;
		memcpy(s->bytes, bytes, n);
	}
	return ref;
}

void csprof_arena_keep(struct csprof_arena *a)
{
	if (a->left >= SMALLEST_PIECE && lock_spare(YIELDS)) {
		*piece_at(a->next) = (struct piece){spare, (uint32_t)(a->left / STORE_GRAIN)};
		spare = a->next;
		unlock_spare();
	}
	csprof_arena_init(a, 0);
}

void csprof_arena_recycle(struct csprof_arena *a)
{
	store_ref first = a->pieces, last = 0;
	for (store_ref ref = first; ref; ref = piece_at(ref)->next) {
		size_t used = (size_t)(piece_at(ref)->grains - 1) * STORE_GRAIN;
		if (ref == first)
			used -= a->left; /* the unused rest is zero already */
		memset(csprof_store_at(ref + 1), 0, used);
		last = ref;
	}
	if (first && lock_spare(YIELDS)) {
		piece_at(last)->next = spare;
		spare = first;
		unlock_spare();
	}
	csprof_arena_init(a, 0);
}

void csprof_arena_begin(void)
{
	uint32_t head = (sizeof(struct store_header) + STORE_GRAIN - 1) / STORE_GRAIN;
	*piece_at(head) = (struct piece){0, STORE_BLOCK_GRAINS - head};
	spare = head;
}

void csprof_arena_forget(void)
{
	spare = 0;
	atomic_flag_clear(&spare_lock);
}
