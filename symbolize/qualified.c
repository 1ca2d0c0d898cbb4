#include "symbolize/qualified.h"

#include "formats/base/path.h"
#include "symbolize/attributes.h"
#include "symbolize/die_walk.h"

#include <stdio.h>
#include <string.h>

enum {
	DEEPEST = 32,      /* scopes, and arguments within arguments; more is a loop */
	MOST_STEPS = 1000, /* parameters of templates looked at for a name */
	MOST_TYPES = 16,   /* that a name has the places of */
	LONGEST = 65536,   /* bytes of a name; what is beyond is left out */
	SHOWN_AFTER = 4,   /* types that follow a name */
	PLACE_BYTES = 300  /* of "FILE:LINE:COLUMN" */
};

/* How gcc writes the type of a lambda in the name of a template's instance. */
static const char lambda[] = "<lambda";

struct qualified {
	struct unit *u;
	VEC(char) text; /* not terminated */
	/* The types in arguments whose names do not tell them apart, in order. */
	Dwarf_Die types[MOST_TYPES];
	unsigned num_types, num_steps;
	/* The places of types that are not lambdas, or that were not found in the text. */
	VEC(char) after;
	unsigned num_after;
	bool failed; /* memory ran out */
};

static void append_bytes(struct qualified *n, const char *s, size_t length)
{
	if (n->text.len + length > LONGEST)
		return;
	if (!vec_reserve(&n->text, n->text.len + length + 1)) {
		n->failed = true;
		return;
	}
	memcpy(n->text.at + n->text.len, s, length);
	n->text.len += length;
}

static void append(struct qualified *n, const char *s)
{
	append_bytes(n, s, strlen(s));
}

static const char *own_name(Dwarf_Die *die)
{
	return die_string(die, DW_AT_name);
}

/* "FILE:LINE:COLUMN" of die's declaration, the file without its folder. */
static void place_of(struct qualified *n, Dwarf_Die *die, char place[PLACE_BYTES])
{
	Dwarf_Die whole;
	const char *path = NULL;
	uint32_t line, column;
	uint64_t file;

	if (unit_reference(n->u, die, DW_AT_signature, &whole)) /* it is in a unit of its own */
		die = &whole;
	line = die_position(die, DW_AT_decl_line);
	column = die_position(die, DW_AT_decl_column);
	if (die_number(die, DW_AT_decl_file, &file) && unit_die_file(n->u, die, file, &path) != 0)
		n->failed = true;
	snprintf(place, PLACE_BYTES, column ? "%.250s:%u:%u" : "%.250s:%u",
		 path ? path_basename(path) : "?", line, column);
}

static bool next_sibling(const struct qualified *n, Dwarf_Die *die)
{
	return die_walk_next(n->u->pass->work, die);
}

static bool is_type(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type;
}

/* The type of a lambda has no name, or "<lambda(...)>"; its operator() is artificial. */
static bool is_lambda(const struct qualified *n, Dwarf_Die *type)
{
	const char *name = own_name(type);
	Dwarf_Die child;

	if (name)
		return strncmp(name, lambda, sizeof lambda - 1) == 0;
	if (dwarf_child(type, &child) != 0)
		return false;
	do {
		name = dwarf_tag(&child) == DW_TAG_subprogram ? own_name(&child) : NULL;
		if (name && strcmp(name, "operator()") == 0 &&
		    dwarf_hasattr(&child, DW_AT_artificial))
			return true;
	} while (next_sibling(n, &child));
	return false;
}

/* ---- the arguments of templates ------------------------------------------------------------- */

static void add_type(struct qualified *n, const Dwarf_Die *type)
{
	if (n->num_types < MOST_TYPES)
		n->types[n->num_types++] = *type;
}

/* Add type, and the lambdas that it is in before it, as in its name, if other units or other
 * functions may have another type of its name. */
static void add_local(struct qualified *n, Dwarf_Die *type)
{
	Dwarf_Die scopes[DEEPEST], at = *type;
	int num_scopes = 0, found = 0;
	bool local = !own_name(type) || is_lambda(n, type);

	while (num_scopes < DEEPEST) {
		found = enclosing_of(n->u->enclosing, &at, &scopes[num_scopes]);
		if (found <= 0)
			break;
		at = scopes[num_scopes++];
		local |= dwarf_tag(&at) == DW_TAG_subprogram ||
			 dwarf_tag(&at) == DW_TAG_lexical_block || !own_name(&at);
	}
	n->failed |= found < 0;
	if (!local)
		return;
	while (num_scopes--)
		if (is_type(dwarf_tag(&scopes[num_scopes])) && is_lambda(n, &scopes[num_scopes]))
			add_type(n, &scopes[num_scopes]);
	add_type(n, type);
}

static void find_types(struct qualified *n, Dwarf_Die *owner, int depth);

static void find_type(struct qualified *n, Dwarf_Die *parameter, int depth)
{
	Dwarf_Die type, next;
	bool found = unit_reference(n->u, parameter, DW_AT_type, &type);

	/* Through pointers, references, const and typedef. */
	for (int i = 0; found && !is_type(dwarf_tag(&type)); i++, type = next)
		found = i < DEEPEST && dwarf_tag(&type) != DW_TAG_subroutine_type &&
			unit_reference(n->u, &type, DW_AT_type, &next);
	if (!found || n->num_steps == MOST_STEPS)
		return;
	n->num_steps++;
	add_local(n, &type);
	find_types(n, &type, depth + 1);
}

/* Note the types in the arguments of owner, an instance of a template, that only their places tell
 * apart. */
static void find_types(struct qualified *n, Dwarf_Die *owner, int depth)
{
	Dwarf_Die child, packed, whole;

	if (unit_reference(n->u, owner, DW_AT_signature, &whole))
		owner = &whole;
	if (depth == DEEPEST || dwarf_child(owner, &child) != 0)
		return;
	do {
		int tag = dwarf_tag(&child);
		if (tag == DW_TAG_template_type_parameter)
			find_type(n, &child, depth);
		if (tag != DW_TAG_GNU_template_parameter_pack || dwarf_child(&child, &packed) != 0)
			continue;
		do
			if (dwarf_tag(&packed) == DW_TAG_template_type_parameter)
				find_type(n, &packed, depth);
		while (next_sibling(n, &packed));
	} while (next_sibling(n, &child));
}

/* Add a type to those that follow the name, unless it is there. */
static void append_after(struct qualified *n, Dwarf_Die *type)
{
	char place[PLACE_BYTES], one[2 * PLACE_BYTES];
	const char *name = own_name(type);
	int length;

	place_of(n, type, place);
	length = snprintf(one, sizeof one, "%.250s at %s",
			  is_lambda(n, type) ? "lambda"
			  : name             ? name
					     : "unnamed type",
			  place);
	if (!vec_reserve(&n->after, n->after.len + (size_t)length + 3)) {
		n->failed = true;
		return;
	}
	n->after.at[n->after.len] = '\0';
	if (strstr(n->after.at, one) || n->num_after == SHOWN_AFTER)
		return;
	n->num_after++;
	n->after.len +=
	    (size_t)sprintf(n->after.at + n->after.len, "%s%s", n->after.len ? ", " : "", one);
}

/* ---- the name ------------------------------------------------------------------------------- */

static void append_lambda(struct qualified *n, Dwarf_Die *type)
{
	char place[PLACE_BYTES];

	place_of(n, type, place);
	append(n, "{lambda at ");
	append(n, place);
	append(n, "}");
}

/* After "<lambda": where its "(...)>" ends, or NULL. */
static const char *end_of_lambda(const char *s)
{
	int depth = 0;

	if (*s == '>')
		return s + 1;
	for (; *s; s++) {
		depth += (*s == '(') - (*s == ')');
		if (depth == 0)
			return *s == ')' && s[1] == '>' ? s + 2 : NULL;
	}
	return NULL;
}

static unsigned count_lambdas(const char *s)
{
	unsigned count = 0;

	while ((s = strstr(s, lambda))) {
		s = end_of_lambda(s + sizeof lambda - 1);
		if (!s)
			return 0;
		count++;
	}
	return count;
}

/* Append the name of die, a function or a type, with the places of the types in its arguments. */
static void append_instance(struct qualified *n, Dwarf_Die *die, const char *name)
{
	unsigned lambdas = 0;
	const char *at;
	bool replace;

	if (!work_pay_text(n->u->pass->work, name)) {
		append(n, "?");
		return;
	}
	n->num_types = 0;
	if (strchr(name, '<'))
		find_types(n, die, 0);
	for (unsigned i = 0; i < n->num_types; i++)
		lambdas += is_lambda(n, &n->types[i]);
	replace = lambdas == count_lambdas(name);
	for (unsigned i = 0; i < n->num_types; i++) {
		bool is = is_lambda(n, &n->types[i]);
		if (is && replace && (at = strstr(name, lambda))) {
			append_bytes(n, name, (size_t)(at - name));
			append_lambda(n, &n->types[i]);
			name = end_of_lambda(at + sizeof lambda - 1);
		} else {
			append_after(n, &n->types[i]);
		}
	}
	append(n, name);
}

static void append_scope(struct qualified *n, Dwarf_Die *scope)
{
	const char *name = own_name(scope);
	char place[PLACE_BYTES];

	switch (dwarf_tag(scope)) {
	case DW_TAG_namespace:
		append(n, name ? name : "(anonymous namespace)");
		break;
	case DW_TAG_subprogram:
		append_instance(n, scope, name ? name : "?");
		break;
	default:
		if (!is_type(dwarf_tag(scope)))
			return; /* a block */
		if (name && strncmp(name, lambda, sizeof lambda - 1) != 0) {
			append_instance(n, scope, name);
		} else if (is_lambda(n, scope)) {
			append_lambda(n, scope);
		} else {
			place_of(n, scope, place);
			append(n, "{unnamed type at ");
			append(n, place);
			append(n, "}");
		}
		break;
	}
	append(n, "::");
}

/* What has the name of a function that die is a copy of, or defines away from its namespace or
 * type; else die. */
static Dwarf_Die named(struct unit *u, Dwarf_Die die)
{
	Dwarf_Die at = die, next;

	for (int i = 0; i < DEEPEST && !own_name(&at); i++, at = next)
		if (dwarf_tag(&at) != DW_TAG_subprogram || !unit_origin(u, &at, &next))
			return die;
	return at;
}

/* Newer than some headers. */
enum { CPLUSPLUS_17 = 0x2a, CPLUSPLUS_20 = 0x2b, CPLUSPLUS_23 = 0x3a };

static bool is_cplusplus(Dwarf_Die *die)
{
	Dwarf_Die unit;
	uint64_t language;

	/* dwarf_srclang follows references to other units */
	if (!dwarf_diecu(die, &unit, NULL, NULL) || !die_number(&unit, DW_AT_language, &language))
		return false;
	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case CPLUSPLUS_17:
	case CPLUSPLUS_20:
	case CPLUSPLUS_23:
		return true;
	default:
		return false;
	}
}

int qualified_name(struct unit *u, Dwarf_Die *die, const char **full)
{
	struct qualified n = {.u = u};
	Dwarf_Die scopes[DEEPEST], at = *die;
	int num_scopes = 0, found = 0;
	const char *name = own_name(die);

	*full = NULL;
	if (!name || !is_cplusplus(die))
		return 0;
	while (num_scopes < DEEPEST) {
		found = enclosing_of(u->enclosing, &at, &scopes[num_scopes]);
		if (found <= 0)
			break;
		at = named(u, scopes[num_scopes]);
		scopes[num_scopes++] = at;
	}
	while (num_scopes--)
		append_scope(&n, &scopes[num_scopes]);
	append_instance(&n, die, name);
	if (n.after.len) {
		append(&n, " [");
		append_bytes(&n, n.after.at, n.after.len);
		append(&n, "]");
	}
	if (found >= 0 && !n.failed)
		*full = symbol_names_intern(u->pass->names, n.text.at ? n.text.at : "", n.text.len);
	vec_free(&n.text);
	vec_free(&n.after);
	return *full ? 0 : -1;
}
