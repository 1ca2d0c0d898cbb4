/* CPython's frames, by memory alone: no function of the interpreter is called.
 *
 * A thread's PyThreadState is found by the interpreter's key of thread-specific data. From there on
 * frames are linked, from the innermost outwards. A native frame of _PyEval_EvalFrameDefault runs
 * one of them, or from 3.11 on several that have called each other. It has something of its own on
 * the stack whose address is known, so that it is known which one it is:
 *
 *     3.8, 3.9   nothing: there is one native frame to each, counted from the outermost
 *     3.10       a CFrame, as many as frames
 *     3.11       a _PyCFrame, which has the innermost of its frames; the outermost is marked
 *     3.12       the same; the outermost is followed by a frame in that native frame
 *     3.13       the latter alone
 *
 * A signal may come while a native frame sets that up, or takes it down. So of what a _PyCFrame has
 * it must be true that it goes on where the _PyCFrame outside of it is; if not, it has no frames
 * yet. */
#include "runtime/interpreters/code.h"
#include "runtime/interpreters/cpython_layout.h"
#include "runtime/interpreters/interpreter.h"

#include <limits.h>
#include <string.h>

/* The interpreter that was found. Handlers read the last one that was published. */
struct cpython {
	struct cpython_layout layout;
	uintptr_t runtime, code_type; /* _PyRuntime, PyCode_Type */
	uintptr_t low, high;          /* of _PyEval_EvalFrameDefault */
};
static struct cpython found[2];
static char folder[PATH_MAX]; /* where the process began, and a slash */
static uint32_t folder_bytes;
static const struct cpython *_Atomic now;

/* ---- recognising -------------------------------------------------------------------- */

/* 0x030b for 3.11. Versions before 3.11 do not say it, but each has functions that are new. */
static uint32_t version_of(const struct os_module *m)
{
	static const struct {
		const char *function;
		uint32_t version;
	} since[] = {
	    {"Py_Is", 0x030a}, {"PyFrame_GetCode", 0x0309}, {"PyCode_NewWithPosOnlyArgs", 0x0308}};
	enum { VERSION_SHIFT = 16 };
	struct os_symbol s;
	if (os_module_symbol(m, "Py_Version", &s))
		return (uint32_t)(*(const unsigned long *)s.at >> VERSION_SHIFT);
	for (size_t i = 0; i < sizeof since / sizeof *since; i++)
		if (os_module_symbol(m, since[i].function, &s))
			return since[i].version;
	return 0;
}

static bool recognise(const struct os_module *m, const char **why)
{
	struct os_symbol runtime, type, eval;
	if (!os_module_symbol(m, "_PyRuntime", &runtime) ||
	    !os_module_symbol(m, "PyCode_Type", &type) ||
	    !os_module_symbol(m, "_PyEval_EvalFrameDefault", &eval))
		return false;
	const struct cpython *was = atomic_load(&now);
	if (was && was->runtime == runtime.at && was->low == eval.at)
		return true;
	struct cpython *p = &found[was == &found[0]];
	const struct cpython_layout *layout = csprof_cpython_layout(version_of(m));
	if (!layout) {
		*why = "this version of CPython is not known; 3.8 to 3.13 are";
		return false;
	}
	*p = (struct cpython){.layout = *layout,
			      .runtime = runtime.at,
			      .code_type = type.at,
			      .low = eval.at,
			      .high = eval.at + eval.bytes};
	if (!csprof_cpython_layout_read(&p->layout, (const uint8_t *)runtime.at, why))
		return false;
	int n = folder_bytes ? 0 : os_real_path(".", folder, sizeof folder - 1);
	if (n > 0) {
		folder[n] = '/';
		folder_bytes = (uint32_t)n + 1;
	}
	atomic_store(&now, p);
	return true;
}

static void forget(void)
{
	atomic_store(&now, NULL);
}

/* ---- memory ------------------------------------------------------------------------- */

static uintptr_t word(uintptr_t at)
{
	return *(const uintptr_t *)at;
}

static uint32_t half(uintptr_t at)
{
	return *(const uint32_t *)at;
}

static uint8_t byte(uintptr_t at)
{
	return *(const uint8_t *)at;
}

/* Fields that all objects have had in all versions (Include/object.h), and those of bytes and
 * texts. */
enum {
	OBJECT_TYPE = 8,
	OBJECT_SIZE = 16, /* of those with a variable size; of texts the length */
	BYTES_AT = 32,
	TEXT_STATE = 32
};

/* ---- names -------------------------------------------------------------------------- */

/* The bits of a text's state (Include/cpython/unicodeobject.h). */
enum {
	TEXT_KIND_SHIFT = 2,
	TEXT_KIND = 7, /* bytes of a character */
	TEXT_COMPACT = 1 << 5,
	TEXT_ASCII = 1 << 6
};

static uint32_t character_at(uintptr_t at, unsigned kind, size_t i)
{
	if (kind == 1)
		return byte(at + i);
	return kind == 2 ? *(const uint16_t *)(at + 2 * i) : half(at + 4 * i);
}

static unsigned put_utf8(char *out, uint32_t c)
{
	enum {
		TWO = 0x80,
		THREE = 0x800,
		FOUR = 0x10000,
		LEAD_2 = 0xc0,
		LEAD_3 = 0xe0,
		LEAD_4 = 0xf0
	};
	unsigned n = c < TWO ? 1 : c < THREE ? 2 : c < FOUR ? 3 : 4;
	static const uint8_t lead[] = {0, 0, LEAD_2, LEAD_3, LEAD_4};
	for (unsigned i = n; i > 1; i--, c >>= 6)
		out[i - 1] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(lead[n] | c);
	return n;
}

/* A text as UTF-8, with whole characters as far as there is room. Returns the bytes. */
static uint32_t copy_text(const struct cpython *p, uintptr_t text, char *out, uint32_t room)
{
	enum { MOST = 4 };
	uint32_t state = half(text + TEXT_STATE), n = 0;
	unsigned kind = state >> TEXT_KIND_SHIFT & TEXT_KIND;
	size_t length = word(text + OBJECT_SIZE);
	uintptr_t at =
	    text + (state & TEXT_ASCII ? p->layout.ascii_bytes : p->layout.compact_bytes);
	if (!(state & TEXT_COMPACT) || (kind != 1 && kind != 2 && kind != 4))
		return 0;
	for (size_t i = 0; i < length && n + MOST <= room; i++)
		n += put_utf8(out + n, character_at(at, kind, i));
	return n;
}

/* The path of a source file, made absolute; not a name such as "<string>". */
static uint32_t copy_file(const struct cpython *p, uintptr_t text, char *out)
{
	uint32_t n = copy_text(p, text, out, CSP_SOURCE_NAME_BYTES);
	if (n == 0 || out[0] == '/' || out[0] == '<' || folder_bytes + n > CSP_SOURCE_NAME_BYTES)
		return n;
	for (uint32_t i = n; i > 0; i--)
		out[folder_bytes + i - 1] = out[i - 1];
	memcpy(out, folder, folder_bytes);
	return folder_bytes + n;
}

/* ---- functions ---------------------------------------------------------------------- */

/* What tells a code object from others that have been at its place. */
struct identity {
	uintptr_t code, name, file, table;
	uint32_t line;
};

static uint64_t key_of(const struct identity *id)
{
	const uint64_t words[] = {id->code, id->name, id->file, id->table, id->line};
	uint64_t key = 0;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		key = store_hash(key ^ words[i]);
		key ^= key >> 29;
	}
	return key > 1 ? key : 2; /* others are not of code objects */
}

/* The number of units, 2 bytes each, of a code object's instructions. */
static uint64_t units_of(const struct cpython *p, uintptr_t code)
{
	if (p->layout.lines == CPYTHON_LOCATIONS)
		return word(code + OBJECT_SIZE);
	return word(word(code + p->layout.instructions) + OBJECT_SIZE) / 2;
}

static store_ref learn(csprof_state_t *state, const struct cpython *p, const struct identity *id,
		       uint64_t key)
{
	struct csprof_code_text *text = &state->scripts->text;
	uint64_t units = units_of(p, id->code);
	if (units == 0 || units > UINT32_MAX / 2)
		return 0;
	struct cpython_code_lines lines = {.kind = p->layout.lines,
					   .table = (const uint8_t *)id->table + BYTES_AT,
					   .table_bytes = word(id->table + OBJECT_SIZE),
					   .first = id->line,
					   .units = (uint32_t)units};
	struct csprof_code_facts facts = {.file = text->file,
					  .name = text->name,
					  .lines = text->lines,
					  .line = id->line,
					  .extent = (uint32_t)units};
	facts.file_bytes = copy_file(p, id->file, text->file);
	facts.name_bytes = copy_text(p, id->name, text->name, CSP_CODE_NAME_BYTES);
	facts.lines_bytes = (uint32_t)csprof_cpython_lines(&lines, text->lines, sizeof text->lines);
	return csprof_code_add(key, &facts);
}

/* ---- frames ------------------------------------------------------------------------- */

enum code_adding { ADDED, LEFT_OUT, NO_FRAME, NO_MEMORY };

static uint64_t unit_of(const struct cpython *p, uintptr_t frame, uintptr_t code)
{
	const struct cpython_layout *l = &p->layout;
	if (l->lines == CPYTHON_LOCATIONS) {
		uintptr_t at = word(frame + l->instr), first = code + l->instructions;
		return at > first ? (at - first) / 2 : 0;
	}
	int32_t last = (int32_t)half(frame + l->instr); /* -1: it has not begun */
	return last < 0 ? 0 : l->lines == CPYTHON_LNOTAB ? (uint64_t)last / 2 : (uint64_t)last;
}

static bool is_aligned(uintptr_t at)
{
	return at && at % sizeof(uintptr_t) == 0;
}

static bool is_frame(const struct cpython *p, uintptr_t frame)
{
	if (!is_aligned(frame))
		return false;
	uintptr_t code = word(frame + p->layout.code);
	return is_aligned(code) && word(code + OBJECT_TYPE) == p->code_type;
}

static enum code_adding add_frame(csprof_state_t *state, const struct cpython *p, uintptr_t frame,
				  uintptr_t at)
{
	const struct cpython_layout *l = &p->layout;
	uintptr_t code = word(frame + l->code);
	if (!is_aligned(code) || word(code + OBJECT_TYPE) != p->code_type)
		return NO_FRAME;
	struct identity id = {.code = code,
			      .name = word(code + l->qualname),
			      .file = word(code + l->file),
			      .table = word(code + l->table),
			      .line = half(code + l->first_line)};
	if (id.name == id.file)
		return LEFT_OUT;
	uint64_t key = key_of(&id);
	store_ref known = csprof_code_find(key);
	if (!known)
		known = learn(state, p, &id, key);
	if (!known)
		return NO_MEMORY;
	uint64_t ip = csprof_code_ip(known, unit_of(p, frame, code));
	return csprof_scripts_add(state->scripts, ip, at) ? ADDED : NO_MEMORY;
}

/* Whose a frame is, from 3.11 on (Include/internal/pycore_frame.h). Generators have theirs; a
 * native frame has one for itself from 3.12 on. */
enum { OWNED_BY_GENERATOR = 1, OWNED_BY_CSTACK = 3 };

static unsigned owner_of(const struct cpython *p, uintptr_t frame)
{
	return byte(frame + p->layout.owner);
}

/* The frames that one native frame runs, from `frame` on. *next: where the frames outside of it go
 * on. at: an address in it; 0: that of its own frame. Returns false if they are no such frames;
 * then none is added. */
static bool add_run(csprof_state_t *state, const struct cpython *p, uintptr_t frame, uintptr_t at,
		    uintptr_t *next)
{
	const struct cpython_layout *l = &p->layout;
	struct csprof_scripts *s = state->scripts;
	uint32_t before = s->n;
	for (uint32_t n = 0; is_aligned(frame) && n < CSPROF_MAX_FRAMES; n++) {
		bool last = l->entry != CPYTHON_NONE && byte(frame + l->entry);
		*next = word(frame + l->previous);
		if (owner_of(p, frame) == OWNED_BY_CSTACK) {
			for (uint32_t i = before; !at && i < s->n; i++)
				s->list[i].at = frame;
			return true;
		}
		if (add_frame(state, p, frame, at) >= NO_FRAME)
			break;
		/* a generator that does not run has no frame outside of it */
		if (last && !*next && owner_of(p, frame) == OWNED_BY_GENERATOR)
			break;
		if (last)
			return true;
		frame = *next;
	}
	s->n = before;
	return false;
}

/* 3.11 and 3.12. The last _PyCFrame is not on the stack, and has no frames. */
static bool walk_cframes(csprof_state_t *state, const struct cpython *p, uintptr_t thread)
{
	const struct cpython_layout *l = &p->layout;
	uintptr_t cframe = word(thread + l->current), outer;
	for (uint32_t n = 0; is_aligned(cframe) && n < CSPROF_MAX_FRAMES; n++, cframe = outer) {
		struct csprof_scripts *s = state->scripts;
		uint32_t before = s->n;
		uintptr_t next = 0;
		outer = word(cframe + l->cframe_next);
		if (!is_aligned(outer))
			return true;
		uintptr_t first = word(cframe + l->cframe_frame);
		if (n == 0 && !is_frame(p, first))
			continue; /* it just begins */
		if (!first)       /* that with which a greenlet began */
			return true;
		bool there = add_run(state, p, first, cframe, &next);
		if (there && next == word(outer + l->cframe_frame))
			continue;
		/* a single one just begins or ends; several are being linked */
		if (!there || n > 0 || s->n > before + 1)
			return false;
		s->n = before;
	}
	return true;
}

/* 3.13. */
static bool walk_entries(csprof_state_t *state, const struct cpython *p, uintptr_t thread)
{
	uintptr_t frame = word(thread + p->layout.current);
	for (uint32_t n = 0; is_aligned(frame) && n < CSPROF_MAX_FRAMES; n++)
		if (!add_run(state, p, frame, 0, &frame))
			return false;
	return true;
}

/* 3.8 to 3.10. */
static bool walk_objects(csprof_state_t *state, const struct cpython *p, uintptr_t thread)
{
	const struct cpython_layout *l = &p->layout;
	uintptr_t frame = word(thread + l->current);
	for (uint32_t n = 0; is_aligned(frame) && n < CSPROF_MAX_FRAMES; n++) {
		if (add_frame(state, p, frame, 0) >= NO_FRAME)
			return false;
		frame = word(frame + l->previous);
	}
	return true;
}

/* 3.10: the innermost CFrame may not have its frame yet, or no longer, or the frame not its CFrame:
 * that frame is left out. The outermost one is part of
 * the thread's state; in those of other threads than the first what it says is outside of it is by
 * chance. before: the number of frames that are not of this state. */
static bool place_in_cframes(csprof_state_t *state, const struct cpython *p, uintptr_t thread,
			     uint32_t before)
{
	const struct cpython_layout *l = &p->layout;
	struct csprof_scripts *s = state->scripts;
	uint32_t cframes = 0, frames = s->n - before;
	uintptr_t first = word(thread + l->cframe), at = first;
	for (; is_aligned(at) && at != thread + l->root_cframe && cframes <= frames; cframes++)
		at = word(at + l->cframe_next);
	if (frames > 0 && cframes == frames - 1) {
		memmove(s->list + before, s->list + before + 1, --frames * sizeof *s->list);
		s->n--;
	}
	if (cframes != frames && cframes != frames + 1)
		return false;
	at = cframes == frames ? first : word(first + l->cframe_next);
	for (uint32_t i = before; i < s->n; i++, at = word(at + l->cframe_next))
		s->list[i].at = at;
	return true;
}

/* ---- threads ------------------------------------------------------------------------ */

/* Where a thread-specific key is in memory: struct Py_tss_t. */
struct tss {
	int32_t known;
	uint32_t key;
};

static uintptr_t state_by(const struct cpython *p, const struct tss *tss)
{
	enum { MOST_KEYS = 1024 }; /* PTHREAD_KEYS_MAX of glibc */
	if (tss->known != 1 || tss->key >= MOST_KEYS)
		return 0;
	uintptr_t thread = (uintptr_t)os_thread_specific(tss->key);
	if (!is_aligned(thread) || word(thread + p->layout.thread_id) != os_thread_self())
		return 0;
	return thread;
}

static uintptr_t thread_state(const struct cpython *p)
{
	return state_by(p, (const struct tss *)(p->runtime + p->layout.tss));
}

/* Up to 3.11 the key is about the first interpreter alone. A thread that runs another one has a
 * state of that, too, and the lock, unless it waits. 0: there is none. */
static uintptr_t inner_state(const struct cpython *p)
{
	uintptr_t holder =
	    p->layout.holder == CPYTHON_NONE ? 0 : word(p->runtime + p->layout.holder);
	if (!is_aligned(holder) || word(holder + p->layout.thread_id) != os_thread_self())
		return 0;
	return holder;
}

static bool walk_state(csprof_state_t *state, const struct cpython *p, uintptr_t thread)
{
	uint32_t before = state->scripts->n;
	switch (p->layout.frames) {
	case CPYTHON_CFRAMES:
		return walk_cframes(state, p, thread);
	case CPYTHON_ENTRY_FRAMES:
		return walk_entries(state, p, thread);
	case CPYTHON_CFRAME_OBJECTS:
		return walk_objects(state, p, thread) && place_in_cframes(state, p, thread, before);
	default:
		return walk_objects(state, p, thread);
	}
}

static bool walk(csprof_state_t *state)
{
	const struct cpython *p = atomic_load(&now);
	uintptr_t thread = p ? thread_state(p) : 0, inner = p ? inner_state(p) : 0;
	if (inner && inner != thread && !walk_state(state, p, inner))
		return false;
	return !thread || walk_state(state, p, thread);
}

static bool counts(void)
{
	const struct cpython *p = atomic_load(&now);
	return p && p->layout.frames == CPYTHON_OBJECTS;
}

static bool runs(uintptr_t pc)
{
	const struct cpython *p = atomic_load(&now);
	return p && pc >= p->low && pc < p->high;
}

/* Up to 3.11 there is one lock for all, else one for each interpreter. */
static bool locks(csprof_state_t *state, uintptr_t futex)
{
	const struct cpython *p = atomic_load(&now);
	uintptr_t thread = p ? thread_state(p) : 0, lock = 0;
	(void)state;
	if (p && p->layout.version < 0x030c)
		lock = p->runtime + p->layout.gil;
	else if (thread)
		lock = word(word(thread + p->layout.interpreter) + p->layout.gil);
	return lock && futex >= lock && futex < lock + p->layout.gil_bytes;
}

const struct interpreter csprof_cpython = {.recognise = recognise,
					   .forget = forget,
					   .walk = walk,
					   .counts = counts,
					   .runs = runs,
					   .locks = locks};
