/* Linked into a test build of libhpcrun.so (tests.mk: oracle), in which every call of
 * csprof_unwind_context comes here: samples are walked by the runtime as usual, and some of
 * them, chosen at random, again by libunwind. At the end of the process one line "compared N
 * same N further N lost N different N" is written to the file $ORACLE_OUT.PID, followed by the
 * first differences.
 *
 * "further": both walks have the same frames up to where libunwind stopped, and our own walk
 * continued to the base of the stack. "lost": libunwind's walk reached no base, so the
 * comparison says nothing. That happens while libgcc passes control to the handler of an
 * exception: it has replaced the registers of its own caller by those of another frame, and no
 * unwind information describes that (our walk reports a partial path); and libunwind keeps what
 * it looked up then for later walks. */
#include "formats/encode.h"
#include "runtime/os/os.h"
#include "runtime/sample/unwind.h"
#include "runtime/sample/unwind_libunwind.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FRAMES = 20000, MAX_COMPARED = 1000, SHOWN = 5, SHOWN_FRAMES = 12, BASES = 64 };

/* The second walk is used from main on: before that no library may be loaded. */
bool __real_csprof_unwind_context(csprof_state_t *state, const void *ucontext);
bool __wrap_csprof_unwind_context(csprof_state_t *state, const void *ucontext);

static atomic_uint compared, same, further, lost, different;
static uintptr_t bases[BASES]; /* outermost frames of complete walks; used while walking */
static atomic_flag walking = ATOMIC_FLAG_INIT;
static struct csprof_frame theirs[MAX_FRAMES];
static bool loaded;
static const char *out; /* $ORACLE_OUT */
static uint64_t random_state;
static struct {
	struct csprof_frame ours[SHOWN_FRAMES], theirs[SHOWN_FRAMES];
	uint32_t num_ours, num_theirs, first;
} shown[SHOWN];

/* Chooses one sample in two at random. */
static bool chosen(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % 2 == 0;
}

/* Remove the frames of our own library, which are in no walk. While libgcc passes control to a
 * handler, libunwind continues to addresses that no code can have: the walk ends there. */
static uint32_t leave_own_out(int n)
{
	enum { LOWEST_CODE = 1 << 16 };
	uint32_t kept = 0;
	for (int i = 0; i < n && theirs[i].ip >= LOWEST_CODE; i++)
		if (!csprof_own_code(theirs[i].ip))
			theirs[kept++] = theirs[i];
	return kept;
}

static void keep_difference(unsigned slot, const csprof_state_t *state, uint32_t n, uint32_t first)
{
	uint32_t from = first > 2 ? first - 2 : 0;
	if (slot >= SHOWN)
		return;
	shown[slot].num_ours = state->num_frames;
	shown[slot].num_theirs = n;
	shown[slot].first = first;
	for (uint32_t i = 0; i < SHOWN_FRAMES; i++) {
		if (from + i < state->num_frames)
			shown[slot].ours[i] = state->frames[from + i];
		if (from + i < n)
			shown[slot].theirs[i] = theirs[from + i];
	}
}

/* Whether a complete walk has ended with this frame: the current one (now), or an earlier one. */
static bool is_base(uintptr_t ip, bool now)
{
	unsigned k = 0;
	while (k < BASES && bases[k] && bases[k] != ip)
		k++;
	if (k < BASES && now)
		bases[k] = ip;
	return k < BASES && bases[k] == ip;
}

static void compare(csprof_state_t *state, bool complete, uint32_t n)
{
	uint32_t i = 0;
	if (complete && state->num_frames)
		is_base(state->frames[state->num_frames - 1].ip, true);
	while (i < n && i < state->num_frames && theirs[i].ip == state->frames[i].ip &&
	       theirs[i].sp == state->frames[i].sp)
		i++;
	atomic_fetch_add(&compared, 1);
	if (i == n && i == state->num_frames)
		atomic_fetch_add(&same, 1);
	else if (i == n && complete)
		atomic_fetch_add(&further, 1);
	else if (n == 0 || !is_base(theirs[n - 1].ip, false))
		atomic_fetch_add(&lost, 1);
	else
		keep_difference(atomic_fetch_add(&different, 1), state, n, i);
}

bool __wrap_csprof_unwind_context(csprof_state_t *state, const void *ucontext)
{
	bool complete = __real_csprof_unwind_context(state, ucontext);
	if (!loaded || atomic_load(&compared) >= MAX_COMPARED || !chosen() ||
	    atomic_flag_test_and_set(&walking))
		return complete;
	int n = csprof_libunwind_walk(ucontext, theirs, MAX_FRAMES);
	if (n > 0 && n < MAX_FRAMES && csprof_unwind_expand(state))
		compare(state, complete, leave_own_out(n));
	atomic_flag_clear(&walking);
	return complete;
}

void __wrap_csprof_process_before_main(void);
void __wrap_csprof_process_before_main(void)
{
	random_state = os_random() | 1;
	out = getenv("ORACLE_OUT");
	loaded = out && csprof_libunwind_load() == 0;
}

/* ---- the report ----------------------------------------------------------------- */

static int to_file(void *ctx, const uint8_t *bytes, size_t n)
{
	return os_write(*(int *)ctx, bytes, n);
}

static void put(struct csp_sink *s, const char *text)
{
	csp_put_bytes(s, text, strlen(text));
}

static void put_number(struct csp_sink *s, const char *name, uint64_t v)
{
	char digits[20];
	put(s, name);
	csp_put_bytes(s, digits, csp_format_u64(digits, v));
}

static void put_frame(struct csp_sink *s, const struct csprof_frame *f)
{
	static const char digits[] = "0123456789abcdef";
	char hex[16];
	for (int i = 0; i < 16; i++)
		hex[i] = digits[f->ip >> (60 - 4 * i) & 15];
	put(s, " ");
	csp_put_bytes(s, hex, sizeof hex);
}

static void put_difference(struct csp_sink *s, unsigned k)
{
	put_number(s, "# frame ", shown[k].first);
	put_number(s, " of ", shown[k].num_ours);
	put_number(s, " (libunwind ", shown[k].num_theirs);
	put(s, ")\n# ours  ");
	for (int i = 0; i < SHOWN_FRAMES; i++)
		put_frame(s, &shown[k].ours[i]);
	put(s, "\n# theirs");
	for (int i = 0; i < SHOWN_FRAMES; i++)
		put_frame(s, &shown[k].theirs[i]);
	put(s, "\n");
}

__attribute__((destructor)) static void end(void)
{
	char path[4096];
	size_t n = out ? strlen(out) : 0;
	if (!loaded || !n || n > sizeof path - 32 || !atomic_load(&compared))
		return;
	memcpy(path, out, n);
	path[n++] = '.';
	n += csp_format_u64(path + n, os_pid());
	path[n] = '\0';
	int fd = os_create(path);
	if (fd < 0)
		return;
	uint8_t buffer[512];
	struct csp_sink s = {.buf = buffer, .cap = sizeof buffer, .flush = to_file, .ctx = &fd};
	put_number(&s, "compared ", compared);
	put_number(&s, " same ", same);
	put_number(&s, " further ", further);
	put_number(&s, " lost ", lost);
	put_number(&s, " different ", different);
	put(&s, "\n");
	for (unsigned k = 0; k < different && k < SHOWN; k++)
		put_difference(&s, k);
	csp_sink_flush(&s);
	os_close(fd);
}
