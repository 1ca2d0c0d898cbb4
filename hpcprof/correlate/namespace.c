#include "hpcprof/correlate/namespace.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define ANONYMOUS "(anonymous namespace)"

static bool skip(const char **p, const char *text)
{
	size_t n = strlen(text);

	if (strncmp(*p, text, n) != 0)
		return false;
	*p += n;
	return true;
}

/* Take "5abcde". 0: there is something else. */
static size_t take_identifier(const char **p)
{
	size_t n = 0, end;

	while (isdigit((unsigned char)**p) && n < 1 << 20)
		n = 10 * n + (size_t)(*(*p)++ - '0');
	end = strnlen(*p, n);
	return end == n ? n : 0;
}

static const char *part(const char *at, size_t length, size_t *n)
{
	*n = length;
	return at;
}

static const char *none(size_t *n)
{
	return part("", 0, n);
}

/* ---- C++, and Rust's first form ---------------------------------------------------- */

/* Rust writes a path of an impl as one identifier: "_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$
 * core..ops..Drop$GT$". Of "<T as core::ops::Drop>", T has no crate, but core does. */
static const char *rust_impl(const char *at, size_t length, size_t *n)
{
	static const char open[] = "_$LT$", as[] = "$u20$as$u20$";
	const char *type = at + strlen(open), *trait = memmem(at, length, as, strlen(as));
	const char *const starts[] = {type, trait ? trait + strlen(as) : NULL};

	for (size_t i = 0; i < 2 && starts[i]; i++) {
		const char *p = starts[i];
		while (p < at + length && (isalnum((unsigned char)*p) || *p == '_'))
			p++;
		if (p > starts[i] && at + length - p > 2 && p[0] == '.' && p[1] == '.')
			return part(starts[i], (size_t)(p - starts[i]), n);
	}
	return none(n);
}

/* The outermost part of a nested name. */
static const char *nested(const char *p, size_t *n)
{
	size_t length;

	while (*p && strchr("rVKRO", *p))
		p++;
	if (*p == 'S' && p[1] && strchr("tabsiod", p[1])) /* std, or one of its classes */
		return part("std", 3, n);
	length = take_identifier(&p);
	if (length > 10 && strncmp(p, "_GLOBAL__N", 10) == 0)
		return part(ANONYMOUS, strlen(ANONYMOUS), n);
	if (length > 5 && strncmp(p, "_$LT$", 5) == 0)
		return rust_impl(p, length, n);
	return part(p, length, n);
}

static const char *itanium(const char *p, size_t *n)
{
	/* thunks: their call offsets end in '_' */
	if (p[0] == 'T' && p[1] && strchr("hv", p[1])) {
		for (int offsets = p[1] == 'h' ? 1 : 2; offsets && *p; offsets--) {
			p = strchr(p, '_');
			if (!p)
				return none(n);
			p++;
		}
	}
	skip(&p, "GV");
	while (*p == 'Z') /* local to a function */
		p++;
	if (skip(&p, "N"))
		return nested(p, n);
	return strncmp(p, "St", 2) == 0 ? part("std", 3, n) : none(n);
}

/* ---- Rust's second form ------------------------------------------------------------ */

/* Skip "s1_". */
static void skip_disambiguator(const char **p)
{
	const char *end = **p == 's' ? strchr(*p, '_') : NULL;

	if (end)
		*p = end + 1;
}

/* The crate is the root of the path, or of the path to the impl. */
static const char *rust(const char *p, size_t *n)
{
	size_t length;

	for (;;) {
		if (*p == 'N' && p[1]) {
			p += 2;
		} else if (*p == 'I') {
			p++;
		} else if (*p == 'M' || *p == 'X') {
			p++;
			skip_disambiguator(&p);
		} else {
			break;
		}
	}
	if (*p != 'C')
		return none(n);
	p++;
	skip_disambiguator(&p);
	length = take_identifier(&p);
	if (length && *p == '_' && strnlen(p, length + 1) > length)
		p++; /* it stands between the number and a name that begins like one */
	return part(p, length, n);
}

/* ---- Fortran ------------------------------------------------------------------------- */

/* gfortran's "__MODULE_MOD_PROCEDURE". */
static const char *fortran(const char *name, size_t *n)
{
	const char *end = strstr(name, "_MOD_");

	return strncmp(name, "__", 2) == 0 && end && end > name + 2
		   ? part(name + 2, (size_t)(end - name) - 2, n)
		   : none(n);
}

/* ---- Go ------------------------------------------------------------------------------ */

/* What compilers add to the name of a function of which they made another. */
static bool is_suffix(const char *p)
{
	static const char *const words[] = {"part", "isra",     "constprop",  "cold",  "lto_priv",
					    "llvm", "resolved", "localalias", "clone", "ifunc"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);
		if (strncmp(p, words[i], n) == 0 && !isalpha((unsigned char)p[n]) && p[n] != '_')
			return true;
	}
	return false;
}

/* "net/http.(*conn).serve": up to the first dot of the last part of the path. */
static const char *go(const char *name, size_t *n)
{
	size_t path = strcspn(name, "([{<"), slash = path;
	const char *dot;

	while (slash && name[slash - 1] != '/')
		slash--;
	dot = memchr(name + slash, '.', strlen(name + slash));
	if (!dot || dot == name + slash || (size_t)(dot - name) > path)
		return none(n);
	if (!(isalpha((unsigned char)dot[1]) || dot[1] == '(' || dot[1] == '_') ||
	    is_suffix(dot + 1))
		return none(n);
	for (const char *p = name; p < dot; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_/.-~%", *p))
			return none(n);
	return part(name, (size_t)(dot - name), n);
}

/* ---- names as a user reads them --------------------------------------------------------- */

/* How many bytes at p belong together: something in brackets, or a single one. */
static size_t group(const char *p)
{
	int depth = 0;
	size_t n = 0;

	do {
		depth += p[n] && strchr("([{<", p[n]) != NULL;
		depth -= p[n] && strchr(")]}>", p[n]) != NULL;
		n += p[n] != '\0';
	} while (p[n] && depth > 0);
	return n;
}

/* Where the parameters begin, or the name ends. */
static const char *parameters(const char *name)
{
	const char *p = name;

	while (*p && (*p != '(' || strncmp(p, ANONYMOUS, strlen(ANONYMOUS)) == 0)) {
		if (skip(&p, "operator"))
			return p;
		p += group(p);
	}
	return p;
}

/* "std::string a::b<int>(std::string)": a. A template's name begins with what it returns. */
static const char *qualified(const char *name, size_t *n)
{
	const char *end = parameters(name), *begin = name, *p;

	for (p = name; p < end; p += group(p))
		if (*p == ' ')
			begin = p + 1;
	while (begin < end && (*begin == '*' || *begin == '&'))
		begin++;
	for (p = begin; p < end; p += group(p)) {
		const char *inner = p;
		size_t length = (size_t)(p - begin), template = strcspn(begin, "<");
		if (!skip(&inner, "::"))
			continue;
		/* what is local to a function is in the function's namespace, which is not known */
		if (*inner == '{' || *inner == '<')
			break;
		return part(begin, template <length ? template : length, n);
	}
	return none(n);
}

/* ---- Python ---------------------------------------------------------------------------- */

/* "python3.11", also with letters behind it for how it was built. */
static bool is_version(const char *p, const char *end)
{
	const char *at = p;

	if (end - p < 9 || !skip(&at, "python"))
		return false;
	while (at < end && isdigit((unsigned char)*at))
		at++;
	if (at == end || *at != '.' || !isdigit((unsigned char)at[-1]) ||
	    !isdigit((unsigned char)at[1]))
		return false;
	for (at++; at < end && isdigit((unsigned char)*at); at++)
		;
	return end - at < 2;
}

static bool is_folder_of_packages(const char *p, const char *end)
{
	static const char *const names[] = {"site-packages", "dist-packages", "lib-dynload"};
	bool is = is_version(p, end);

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		is |= (size_t)(end - p) == strlen(names[i]) &&
		      strncmp(p, names[i], strlen(names[i])) == 0;
	return is;
}

/* Put what is between two places, with dots in place of slashes. */
static size_t put_package(const char *from, const char *end, char *out)
{
	size_t n = 0;

	for (; from < end && n < NAMESPACE_BYTES; from++)
		if (*from != '/' || (n && out[n - 1] != '.'))
			out[n++] = *from == '/' ? '.' : *from;
	return n;
}

size_t namespace_of_file(const char *path, char out[NAMESPACE_BYTES])
{
	static const char frozen[] = "<frozen ", suffix[] = ".py";
	const char *from = NULL, *last = path, *end = path + strlen(path), *name = path;

	if (skip(&name, frozen) && end[-1] == '>') {
		const char *dot = memrchr(name, '.', (size_t)(end - 1 - name));
		return put_package(name, dot ? dot : end - 1, out);
	}
	for (const char *p = path, *slash; (slash = strchr(p, '/')); p = slash + 1) {
		last = slash + 1;
		if (is_folder_of_packages(p, slash))
			from = slash + 1;
	}
	if (!from)
		return put_package(last, end, out);
	if (from < last)
		return put_package(from, last - 1, out);
	if (end - last > 3 && strcmp(end - 3, suffix) == 0)
		end -= 3;
	return put_package(last, end, out);
}

const char *namespace_in(const char *name, const char *linkage_name, size_t *n)
{
	const char *p = linkage_name, *found;

	if (skip(&p, "_Z") || skip(&p, "__Z"))
		return itanium(p, n);
	if (skip(&p, "_R"))
		return rust(p, n);
	found = fortran(linkage_name, n);
	if (!*n && strstr(name, "::"))
		return qualified(name, n);
	return *n ? found : go(name, n);
}
