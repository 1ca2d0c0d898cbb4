#include "formats/identity/label_list.h"

#include <string.h>

bool label_list_is_number(const char *text)
{
	static const char most[] = "9223372036854775807", least[] = "9223372036854775808";
	bool minus = *text == '-';
	const char *digits = text + minus, *limit = minus ? least : most;
	size_t n = strspn(digits, "0123456789"), size = sizeof most - 1;
	if (n == 0 || digits[n] || (*digits == '0' && (n > 1 || minus)))
		return false;
	return n < size || (n == size && memcmp(digits, limit, size) <= 0);
}

/* Copies up to the end of a part, without backslashes. Returns whether there were any. */
static bool copy_part(const char **at, const char *ends, char *out, size_t room)
{
	bool escaped = false;
	size_t n = 0;
	while (**at && !strchr(ends, **at)) {
		if (**at == '\\' && (*at)[1]) {
			escaped = true;
			++*at;
		}
		if (n + 1 < room)
			out[n++] = **at;
		++*at;
	}
	out[n] = '\0';
	return escaped;
}

bool label_list_next(const char **at, struct label_list_item *item)
{
	while (**at) {
		*item = (struct label_list_item){.region = true};
		copy_part(at, "=,", item->key, sizeof item->key);
		if (**at == '=') {
			++*at;
			item->region = false;
			bool escaped = copy_part(at, ",", item->value, sizeof item->value);
			item->number = !escaped && label_list_is_number(item->value);
		}
		*at += **at == ',';
		if (item->key[0])
			return true;
	}
	return false;
}

/* Where the list ends; list NULL: nothing is written. */
struct end {
	char *list;
	size_t n;
};

static void put(struct end *e, char c)
{
	if (e->list)
		e->list[e->n] = c;
	e->n++;
}

static void put_escaped(struct end *e, const char *text, size_t most, const char *special)
{
	for (size_t i = 0; i < most && text[i]; i++) {
		if (strchr(special, text[i]))
			put(e, '\\');
		put(e, text[i]);
	}
}

/* value NULL: a region. */
static size_t add(struct end e, const char *key, const char *value, bool text)
{
	if (e.n)
		put(&e, ',');
	put_escaped(&e, key, CSP_NAME_BYTES, ",=\\");
	if (!value)
		return e.n;
	put(&e, '=');
	if (text && label_list_is_number(value))
		put(&e, '\\');
	put_escaped(&e, value, CSP_LABEL_BYTES, ",\\");
	return e.n;
}

static size_t add_if_it_fits(struct end e, const char *key, const char *value, bool text)
{
	size_t end = add((struct end){NULL, e.n}, key, value, text);
	if (end > LABEL_LIST_BYTES)
		return e.n;
	if (e.list)
		e.list[add(e, key, value, text)] = '\0';
	return end;
}

size_t label_list_add(char *list, size_t n, const char *key, const char *value, bool text)
{
	return add_if_it_fits((struct end){list, n}, key, value, text);
}

size_t label_list_add_region(char *list, size_t n, const char *name)
{
	return add_if_it_fits((struct end){list, n}, name, NULL, false);
}
