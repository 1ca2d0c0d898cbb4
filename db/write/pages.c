#include "db/write/pages.h"

#include <stdlib.h>
#include <string.h>

enum {
	TABLE_INTERIOR = 5,
	TABLE_LEAF = 13,
	INDEX_INTERIOR = 2,
	INDEX_LEAF = 10,
	LEAF_HEADER = 8, /* bytes */
	INTERIOR_HEADER = 12,
	POINTER = 2, /* of a cell's offset */
	CHILD = 4,   /* of a page number */
	WAITING =
	    65536, /* bytes of pages that are written at once: SQLite accepts less than 128 KiB */
	MAX_VARINT = 9,
	MAX_RECORD = 1 + PAGES_COLUMNS * (1 + 8),
	MAX_CELL = 2 * MAX_VARINT + MAX_RECORD,
	LEAST_SIZE = 512, /* of a page */
	HEAD = 100,       /* bytes of the file header; offsets in it: */
	HEAD_PAGE_SIZE = 16,
	HEAD_RESERVED = 20,
	HEAD_CHANGES = 24,
	HEAD_PAGES = 28,
	HEAD_FORMAT = 44,
	HEAD_VACUUM = 52,
	HEAD_VALID_FOR = 92
};
/* No page may be at this offset, where SQLite locks the file. */
#define LOCKED_BYTE UINT32_C(0x40000000)

/* ---- numbers ---------------------------------------------------------------------------- */

static void put16(unsigned char *at, uint32_t v)
{
	at[0] = (unsigned char)(v >> 8);
	at[1] = (unsigned char)v;
}
static void put32(unsigned char *at, uint32_t v)
{
	put16(at, v >> 16);
	put16(at + 2, v);
}
static uint32_t get32(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Seven bits per byte, the highest first, with all bytes but the last marked. A ninth byte has
 * eight. */
static unsigned put_varint(unsigned char *at, uint64_t v)
{
	unsigned n = 1, bytes;

	while (n < MAX_VARINT && v >> (7 * n))
		n++;
	bytes = n;
	if (n == MAX_VARINT) {
		at[--n] = (unsigned char)v;
		v >>= 8;
		while (n-- > 0) {
			at[n] = (unsigned char)(v | 0x80);
			v >>= 7;
		}
		return bytes;
	}
	at[--n] = (unsigned char)(v & 0x7f);
	while (n-- > 0) {
		v >>= 7;
		at[n] = (unsigned char)(v | 0x80);
	}
	return bytes;
}

/* How a number is stored in a record: its type, and the number of bytes after the header. */
static unsigned type_of(int64_t v, unsigned *bytes)
{
	static const unsigned char type[] = {1, 1, 2, 3, 4, 5, 5, 6, 6};
	static const unsigned char length[] = {1, 1, 2, 3, 4, 6, 6, 8, 8};
	uint64_t magnitude = (uint64_t)(v < 0 ? ~v : v);
	unsigned n;

	*bytes = 0;
	if (magnitude <= 1 && v >= 0)
		return 8 + (unsigned)v;
	/* including the sign bit */
	n = magnitude ? (64 - (unsigned)__builtin_clzll(magnitude)) / 8 + 1 : 1;
	*bytes = length[n];
	return type[n];
}

/* Put a record. In a rowid table the first cell is the key, which is stored as NULL. */
static unsigned put_record(unsigned char *at, const struct db_cell *cells, unsigned n,
			   bool by_rowid)
{
	unsigned char *to = at + 1 + n;

	at[0] = (unsigned char)(1 + n);
	for (unsigned i = 0; i < n; i++) {
		unsigned bytes = 0;
		uint64_t v = (uint64_t)cells[i].number;
		at[1 + i] = 0;
		if (!cells[i].null && (i || !by_rowid))
			at[1 + i] = (unsigned char)type_of(cells[i].number, &bytes);
		for (unsigned k = bytes; k-- > 0; v >>= 8)
			to[k] = (unsigned char)v;
		to += bytes;
	}
	return (unsigned)(to - at);
}

/* ---- the file --------------------------------------------------------------------------- */

static int write_at(struct pages *p, const void *from, uint32_t n, uint64_t at, struct error *e)
{
	int rc = p->file->pMethods->xWrite(p->file, from, (int)n, (sqlite3_int64)at);

	return rc == SQLITE_OK ? 0 : db_file_error(rc, e);
}

static int read_at(struct pages *p, void *to, uint32_t n, uint64_t at, struct error *e)
{
	int rc = p->file->pMethods->xRead(p->file, to, (int)n, (sqlite3_int64)at);

	return rc == SQLITE_OK ? 0 : db_file_error(rc, e);
}

static uint64_t place_of(const struct pages *p, uint32_t page)
{
	return (uint64_t)(page - 1) * p->size;
}

static int write_waiting(struct pages *p, struct error *e)
{
	uint32_t first = p->count - p->num_waiting + 1, n = p->num_waiting;

	p->num_waiting = 0;
	return n ? write_at(p, p->waiting, n * p->size, place_of(p, first), e) : 0;
}

/* Append a page. Returns its number, or 0 and *e. */
static uint32_t append(struct pages *p, const unsigned char *page, struct error *e)
{
	if (place_of(p, p->count + 1) == LOCKED_BYTE) {
		if (write_waiting(p, e) != 0)
			return 0;
		p->count++;
	} else if (p->num_waiting == WAITING / p->size && write_waiting(p, e) != 0) {
		return 0;
	}
	memcpy(p->waiting + (size_t)p->num_waiting * p->size, page, p->size);
	p->num_waiting++;
	return ++p->count;
}

/* The size of a page; 1 means 65536. */
static uint32_t size_of(const unsigned char *head)
{
	return (uint32_t)head[HEAD_PAGE_SIZE] << 8 | head[HEAD_PAGE_SIZE + 1];
}

bool pages_suit(sqlite3 *db)
{
	const char *name = sqlite3_db_filename(db, "main");
	unsigned char head[HEAD];
	sqlite3_file *file = NULL;

	return name && name[0] &&
	       sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK &&
	       file && file->pMethods &&
	       file->pMethods->xRead(file, head, sizeof head, 0) == SQLITE_OK &&
	       size_of(head) >= LEAST_SIZE && !head[HEAD_RESERVED] &&
	       get32(head + HEAD_FORMAT) == 4 && !get32(head + HEAD_VACUUM);
}

int pages_open(struct pages *p, sqlite3 *db, struct error *e)
{
	unsigned char head[HEAD];

	*p = (struct pages){0};
	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &p->file) != SQLITE_OK)
		return db_error(db, e);
	if (read_at(p, head, sizeof head, 0, e) != 0)
		return -1;
	p->size = size_of(head);
	p->count = get32(head + HEAD_PAGES);
	p->waiting = malloc(WAITING);
	return p->waiting ? 0 : error_memory(e, WAITING);
}

int pages_save(struct pages *p, struct error *e)
{
	unsigned char head[HEAD];
	uint32_t changes;

	if (write_waiting(p, e) != 0 || read_at(p, head, sizeof head, 0, e) != 0)
		return -1;
	changes =
	    get32(head + HEAD_CHANGES) + 1; /* this tells SQLite that pages have been changed */
	put32(head + HEAD_CHANGES, changes);
	put32(head + HEAD_VALID_FOR, changes);
	put32(head + HEAD_PAGES, p->count);
	return write_at(p, head, sizeof head, 0, e);
}

void pages_close(struct pages *p)
{
	free(p->waiting);
	p->waiting = NULL;
}

/* ---- pages of a tree -------------------------------------------------------------------- */

static void page_begin(struct pages_tree *t)
{
	t->cells = 0;
	t->from = t->to->size;
}

/* Put a complete cell on the page. header: bytes of the page's header. */
static void page_add(struct pages_tree *t, uint32_t header, const unsigned char *cell, uint32_t n)
{
	t->from -= n;
	memcpy(t->leaf + t->from, cell, n);
	put16(t->leaf + header + POINTER * t->cells, t->from);
	t->cells++;
}

static void page_end(struct pages_tree *t, unsigned char type)
{
	uint32_t header = type == TABLE_LEAF || type == INDEX_LEAF ? LEAF_HEADER : INTERIOR_HEADER;
	uint32_t gap = header + POINTER * t->cells;

	t->leaf[0] = type;
	put16(t->leaf + 1, 0); /* no free blocks */
	put16(t->leaf + 3, t->cells);
	put16(t->leaf + 5, t->from);
	t->leaf[7] = 0;
	memset(t->leaf + gap, 0, t->from - gap);
}

static bool fail_memory(struct pages_tree *t)
{
	t->failed = true;
	error_memory(&t->why, t->to->size);
	return false;
}

/* Add a page to the children, with the key between it and the next. */
static bool add_child(struct pages_tree *t, uint32_t page, const unsigned char *key, uint32_t n)
{
	struct pages_child child = {page, (uint32_t)t->keys.len, n};

	if (!page) {
		t->failed = true;
		return false;
	}
	if (!vec_reserve(&t->keys, t->keys.len + n) || !vec_push(&t->children, child))
		return fail_memory(t);
	memcpy(t->keys.at + t->keys.len, key, n);
	t->keys.len += n;
	return true;
}

/* Finish a full leaf. In a tree without rowids its last row moves up, between it and the next
 * leaf. */
static void close_leaf(struct pages_tree *t)
{
	unsigned char key[MAX_CELL];
	uint32_t n;

	if (t->by_rowid) {
		n = put_varint(key, (uint64_t)t->rowid);
	} else {
		/* the first byte is the record's length: no record is longer than 127 */
		n = t->leaf[t->from] + 1u;
		memcpy(key, t->leaf + t->from, n);
		t->from += n;
		t->cells--;
	}
	page_end(t, t->by_rowid ? TABLE_LEAF : INDEX_LEAF);
	if (add_child(t, append(t->to, t->leaf, &t->why), key, n))
		page_begin(t);
}

void pages_add(struct pages_tree *t, const struct db_cell *cells, unsigned n)
{
	unsigned char cell[MAX_CELL], record[MAX_RECORD];
	unsigned length, at;

	if (t->failed)
		return;
	while (n > t->needed && !cells[n - 1].null && cells[n - 1].number == t->defaults[n - 1])
		n--;
	length = put_record(record, cells, n, t->by_rowid);
	at = put_varint(cell, length);
	if (t->by_rowid)
		at += put_varint(cell + at, (uint64_t)cells[0].number);
	memcpy(cell + at, record, length);
	if (t->from < LEAF_HEADER + POINTER * (t->cells + 1) + at + length)
		close_leaf(t);
	if (t->failed)
		return;
	page_add(t, LEAF_HEADER, cell, at + length);
	t->rowid = cells[0].number;
}

/* Make an interior page of children first .. end - 1 in t->leaf. */
static void fill_interior(struct pages_tree *t, size_t first, size_t end)
{
	unsigned char cell[CHILD + MAX_CELL];

	page_begin(t);
	for (size_t i = first; i + 1 < end; i++) {
		const struct pages_child *c = &t->children.at[i];
		put32(cell, c->page);
		memcpy(cell + CHILD, t->keys.at + c->key, c->key_length);
		page_add(t, INTERIOR_HEADER, cell, CHILD + c->key_length);
	}
	page_end(t, t->by_rowid ? TABLE_INTERIOR : INDEX_INTERIOR);
	put32(t->leaf + LEAF_HEADER, t->children.at[end - 1].page);
}

/* How many children a page can have. */
static size_t most_children(const struct pages_tree *t)
{
	uint32_t longest = 0;

	for (size_t i = 0; i < t->children.len; i++)
		if (t->children.at[i].key_length > longest)
			longest = t->children.at[i].key_length;
	return (t->to->size - INTERIOR_HEADER) / (POINTER + CHILD + longest) + 1;
}

/* Make level after level, until one page is above everything; it is left in t->leaf. The children
 * of a level are divided evenly, so that no page has only one. */
static bool close_interiors(struct pages_tree *t)
{
	size_t most = most_children(t);

	while (t->children.len > most) {
		size_t n = t->children.len;
		size_t groups = (n + most - 1) / most; /* NOLINT: there is always one */
		for (size_t g = 0; g < groups; g++) {
			size_t first = g * n / groups, end = (g + 1) * n / groups;
			uint32_t page;
			fill_interior(t, first, end);
			page = append(t->to, t->leaf, &t->why);
			if (!page)
				return false;
			/* g <= first: this element has been read */
			t->children.at[g] = t->children.at[end - 1];
			t->children.at[g].page = page;
		}
		t->children.len = groups;
	}
	fill_interior(t, 0, t->children.len);
	return true;
}

/* Read the defaults of a table's last columns, which rows may omit. An index has no columns. */
static int read_defaults(struct pages_tree *t, sqlite3 *db, const char *name, struct error *e)
{
	sqlite3_stmt *s = NULL;
	char *sql = sqlite3_mprintf("SELECT dflt_value IS NULL OR pk, CAST(dflt_value AS INTEGER) "
				    "FROM pragma_table_info('%.*q') ORDER BY cid",
				    (int)strcspn(name, " "), name);
	int rc = SQLITE_NOMEM;

	t->needed = PAGES_COLUMNS;
	if (sql)
		rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
	sqlite3_free(sql);
	for (unsigned i = 0;
	     i < PAGES_COLUMNS && rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW; i++) {
		if (sqlite3_column_int(s, 0))
			t->needed = PAGES_COLUMNS;
		else if (t->needed == PAGES_COLUMNS)
			t->needed = i;
		t->defaults[i] = sqlite3_column_int64(s, 1);
		rc = SQLITE_OK;
	}
	sqlite3_finalize(s);
	return rc == SQLITE_DONE ? 0 : db_error(db, e);
}

int pages_begin(struct pages_tree *t, struct pages *to, sqlite3 *db, const char *name,
		bool by_rowid, struct error *e)
{
	unsigned char head[LEAF_HEADER];
	int64_t root;

	*t = (struct pages_tree){.to = to, .by_rowid = by_rowid, .failed = true};
	t->leaf = malloc(to->size);
	if (!t->leaf)
		error_memory(&t->why, to->size);
	else if (db_number(db, &root, &t->why,
			   "SELECT rootpage FROM sqlite_schema WHERE name = '%.*s'",
			   (int)strcspn(name, " "), name) == 0 &&
		 read_defaults(t, db, name, &t->why) == 0 &&
		 read_at(to, head, sizeof head, place_of(to, (uint32_t)root), &t->why) == 0) {
		t->root = (uint32_t)root;
		t->failed = head[0] != (by_rowid ? TABLE_LEAF : INDEX_LEAF) || head[3] || head[4];
		if (t->failed)
			error_set(&t->why, ERROR_SYSTEM, "%s is not empty", name);
	}
	page_begin(t);
	if (t->failed && e)
		*e = t->why;
	return t->failed ? -1 : 0;
}

int pages_end(struct pages_tree *t, struct error *e)
{
	if (!t->failed && t->children.len) {
		unsigned char none[1] = {0};
		page_end(t, t->by_rowid ? TABLE_LEAF : INDEX_LEAF);
		if (add_child(t, append(t->to, t->leaf, &t->why), none, 0))
			t->failed = !close_interiors(t);
	} else if (!t->failed) {
		page_end(t, t->by_rowid ? TABLE_LEAF : INDEX_LEAF);
	}
	if (!t->failed)
		t->failed =
		    write_at(t->to, t->leaf, t->to->size, place_of(t->to, t->root), &t->why) != 0;
	vec_free(&t->children);
	vec_free(&t->keys);
	free(t->leaf);
	t->leaf = NULL;
	if (t->failed && e)
		*e = t->why;
	return t->failed ? -1 : 0;
}
