#include "symbolize/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

enum {
	/* Longer names are not demangled, as libiberty recurses for each byte of some. Names made
	 * by compilers are shorter: the longest of LLVM 14 has 545 bytes, of rustc's library 1,222.
	 */
	MANGLED_MAX = 4096,
	/* Of the demangled form: for each byte of the name, and in all. */
	TIMES_MAX = 64,
	TEXT_MAX = 65536,
	/* Of the printer's stack: for each pair of a template and a reference to a parameter of
	 * one, each of which it may count twice; and in all. */
	SCOPE_BYTES = 4 * 16,
	STACK_MAX = 1 << 19,
	OPTIONS = DMGL_PARAMS | DMGL_ANSI,
};

static bool is_mangled(const char *s)
{
	return s[0] == '_' && (s[1] == 'Z' || s[1] == 'R');
}

/* The length of linkage, or 0 if it is not to be demangled. */
static size_t usable_length(const char *linkage)
{
	size_t length = is_mangled(linkage) ? strnlen(linkage, MANGLED_MAX + 1) : 0;
	return length <= MANGLED_MAX ? length : 0;
}

bool demangle_is_deleting(const char *linkage)
{
	return usable_length(linkage) && strstr(linkage, "D0E") &&
	       is_gnu_v3_mangled_dtor(linkage) == gnu_v3_deleting_dtor;
}

/* ---- what is printed ---------------------------------------------------------------------- */

struct printing {
	struct demangled *to;
	size_t most;
	bool full, no_memory;
	jmp_buf stop; /* libiberty's printers are left by it */
};

/* Whether libiberty holds memory while it prints s: of a Rust name's letters beyond ASCII. */
static bool is_held(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] >= 0x80)
			return true;
	return false;
}

static void take(const char *s, size_t n, void *context)
{
	struct printing *p = context;
	struct demangled *d = p->to;

	if (p->full || n > p->most - d->text.len) {
		p->full = true;
		if (is_held(s, n))
			return;
		longjmp(p->stop, 1);
	}
	if (!vec_reserve(&d->text, d->text.len + n + 1)) {
		p->full = p->no_memory = true;
		return;
	}
	memcpy(d->text.at + d->text.len, s, n);
	d->text.len += n;
}

/* A name, and how to print it. */
struct mangled {
	const char *linkage;
	size_t length;
	enum { RUST, CPLUS, CPLUS_TREE } kind;
	struct demangle_component *root; /* of CPLUS_TREE */
};

/* Whether it is a name of its kind. */
static bool run(struct printing *p, const struct mangled *m)
{
	if (setjmp(p->stop) != 0)
		return false;
	switch (m->kind) {
	case RUST:
		return rust_demangle_callback(m->linkage, OPTIONS, take, p);
	case CPLUS:
		return cplus_demangle_v3_callback(m->linkage, OPTIONS, take, p);
	default:
		return cplus_demangle_print_callback(OPTIONS, m->root, take, p);
	}
}

static enum demangle_result print(struct demangled *d, const struct mangled *m)
{
	struct printing p = {.to = d, .most = TIMES_MAX * m->length};

	if (p.most > TEXT_MAX)
		p.most = TEXT_MAX;
	d->text.len = 0;
	if (run(&p, m) && !p.full && d->text.len)
		return DEMANGLE_DONE;
	return p.no_memory ? DEMANGLE_NO_MEMORY : DEMANGLE_NOT;
}

/* ---- what is walked ----------------------------------------------------------------------- */

/* The tree of a C++ name is a graph: what a substitution names is there once. Its printer walks it
 * as a tree, and in part without printing anything. */
struct graph {
	const struct demangle_component *nodes;
	size_t num_nodes, most;
	uint32_t *size; /* of node i as a tree; 0: not known yet; IN_WORK */
	size_t templates, references;
};

enum { IN_WORK = UINT32_MAX };

/* The nodes below n. */
static void below(const struct demangle_component *n, const struct demangle_component *child[2])
{
	child[0] = child[1] = NULL;
	switch (n->type) {
	case DEMANGLE_COMPONENT_NAME:
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
	case DEMANGLE_COMPONENT_FUNCTION_PARAM:
	case DEMANGLE_COMPONENT_UNNAMED_TYPE:
	case DEMANGLE_COMPONENT_SUB_STD:
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_OPERATOR:
	case DEMANGLE_COMPONENT_CHARACTER:
	case DEMANGLE_COMPONENT_NUMBER:
		break;
	case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
		child[0] = n->u.s_extended_operator.name;
		break;
	case DEMANGLE_COMPONENT_FIXED_TYPE:
		child[0] = n->u.s_fixed.length;
		break;
	case DEMANGLE_COMPONENT_CTOR:
		child[0] = n->u.s_ctor.name;
		break;
	case DEMANGLE_COMPONENT_DTOR:
		child[0] = n->u.s_dtor.name;
		break;
	case DEMANGLE_COMPONENT_LAMBDA:
	case DEMANGLE_COMPONENT_DEFAULT_ARG:
		child[0] = n->u.s_unary_num.sub;
		break;
	default:
		child[0] = n->u.s_binary.left;
		child[1] = n->u.s_binary.right;
		break;
	}
}

/* The nodes of n as a tree, at most g->most + 1. Recurses once for each node of the graph. */
static size_t tree_size(struct graph *g, const struct demangle_component *n)
{
	const struct demangle_component *child[2];
	size_t i = (size_t)(n - g->nodes), size = 1;

	if (i >= g->num_nodes) /* libiberty has no others */
		return g->most + 1;
	if (g->size[i] == IN_WORK) /* it contains itself */
		return g->most + 1;
	if (g->size[i])
		return g->size[i];
	g->size[i] = IN_WORK;
	below(n, child);
	g->templates += n->type == DEMANGLE_COMPONENT_TEMPLATE;
	g->references += (n->type == DEMANGLE_COMPONENT_REFERENCE ||
			  n->type == DEMANGLE_COMPONENT_RVALUE_REFERENCE) &&
			 child[0] && child[0]->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM;
	for (int k = 0; k < 2; k++)
		if (child[k])
			size += tree_size(g, child[k]);
	if (size > g->most)
		size = g->most + 1;
	return g->size[i] = (uint32_t)size;
}

/* Whether m's tree is within the limits. 1, 0, or -1: no memory. */
static int is_small(const struct mangled *m, const void *nodes)
{
	/* libiberty has at most two nodes for each byte. */
	struct graph g = {
	    .nodes = nodes, .num_nodes = 2 * m->length, .most = TIMES_MAX * m->length};
	bool small;

	g.size = calloc(g.num_nodes, sizeof *g.size);
	if (!g.size)
		return -1;
	small = tree_size(&g, m->root) <= g.most;
	free(g.size);
	return small && g.templates * g.references <= STACK_MAX / SCOPE_BYTES;
}

/* Of the number of a substitution. */
static bool is_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}

/* Whether substitutions are so few that the tree is small whatever they are: of k references to
 * what is before them, three each make it three times as large at most, so all 3^(k/3) times. */
static bool has_few_references(const char *linkage)
{
	enum { FEW = 12, DIGITS_MAX = 3 }; /* a name has fewer than 36^3 */
	int references = 0;

	for (const char *s = linkage; *s; s++) {
		int digits = 0;
		while (*s == 'S' && digits < DIGITS_MAX && is_digit(s[1 + digits]))
			digits++;
		references += *s == 'S' && s[1 + digits] == '_';
	}
	return references <= FEW;
}

static enum demangle_result demangle_cplus(struct demangled *d, struct mangled *m)
{
	enum demangle_result result = DEMANGLE_NOT;
	void *nodes = NULL;
	int small = 0;

	m->root = cplus_demangle_v3_components(m->linkage, OPTIONS, &nodes);
	m->kind = m->root ? CPLUS_TREE : CPLUS;
	if (m->root)
		small = is_small(m, nodes);
	else if (has_few_references(m->linkage)) /* some old forms are only read so */
		small = 1;
	if (small != 0)
		result = small > 0 ? print(d, m) : DEMANGLE_NO_MEMORY;
	free(nodes);
	return result;
}

enum demangle_result demangle(struct demangled *d, const char *linkage)
{
	struct mangled m = {.linkage = linkage, .length = usable_length(linkage), .kind = RUST};
	enum demangle_result result;

	if (!m.length)
		return DEMANGLE_NOT;
	result = print(d, &m);
	return result == DEMANGLE_NOT ? demangle_cplus(d, &m) : result;
}
