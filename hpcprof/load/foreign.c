#include "hpcprof/load/foreign.h"

#include "formats/base/utf8.h"
#include "formats/datafile.h"
#include "formats/store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* Bytes that are looked at. */
enum { HEAD = 512 };

struct file_head {
	char at[HEAD];
	size_t n;
};

struct foreign_kind {
	size_t offset; /* of the bytes that tell it */
	const char *bytes;
	size_t n;
	const char *says;
};

#define BYTES(s) s, sizeof s - 1
static const struct foreign_kind kinds[] = {
    {0, BYTES("\177ELF"), "a program or library and no datafile; measure it with 'hpcrun COMMAND'"},
    {0, BYTES("PERFILE2"), "data of perf record and no datafile; 'perf report -i FILE' shows it"},
    {0, BYTES("2ELIFREP"),
     "data of perf record of another machine; 'perf report -i FILE' shows it"},
    {0, BYTES("#!"), "a script and no datafile; measure it with 'hpcrun COMMAND'"},
    {0, BYTES("<?xml"), "an XML file and no datafile"},
    {0, BYTES("\x1f\x8b"), "compressed by gzip; unpack it with gunzip"},
    {0, BYTES("\xfd\x37zXZ\0"), "compressed by xz; unpack it with unxz"},
    {0, BYTES("\x28\xb5\x2f\xfd"), "compressed by zstd; unpack it with unzstd"},
    {0, BYTES("PK\x03\x04"), "a zip archive; unpack it with unzip"},
    {257, BYTES("ustar"), "a tar archive; unpack it with tar"},
    {0, BYTES("!<arch>\n"), "a static library and no datafile"},
    {0, BYTES("SQLite format 3\0"), "a SQLite database and no datafile"},
};

static bool begins(const struct file_head *h, size_t offset, const char *bytes, size_t n)
{
	return h->n >= offset + n && memcmp(h->at + offset, bytes, n) == 0;
}

/* Whether it may be the beginning of such a file, even if no more of it is left. */
static bool may_be(const struct file_head *h, const char *magic)
{
	size_t n = strlen(magic);

	return h->n && memcmp(h->at, magic, h->n < n ? h->n : n) == 0;
}

/* UTF-8 without control characters other than white space. The last character may be cut. */
static bool is_text(const struct file_head *h)
{
	size_t i = 0;
	uint32_t code;

	while (i < h->n) {
		unsigned n = utf8_decode(h->at + i, h->n - i, &code);
		if (!n && h->n - i < 4 && h->n == HEAD)
			break;
		if (!n || code == 0x7f ||
		    (code < ' ' && (!code || !strchr("\t\n\v\f\r\033", (int)code))))
			return false;
		i += n;
	}
	return true;
}

void foreign_explain(int fd, struct error *e)
{
	struct file_head h;
	ssize_t n = pread(fd, h.at, sizeof h.at, 0);

	if (n < 0)
		return;
	h.n = (size_t)n;
	if (may_be(&h, CSP_MAGIC_FILE) || may_be(&h, STORE_MAGIC))
		return;
	if (!n) {
		error_set(e, ERROR_VERSION, "an empty file");
		return;
	}
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (begins(&h, kinds[i].offset, kinds[i].bytes, kinds[i].n)) {
			error_set(e, ERROR_VERSION, "%s", kinds[i].says);
			return;
		}
	if (is_text(&h))
		error_set(e, ERROR_VERSION, "a text file and no datafile");
}
