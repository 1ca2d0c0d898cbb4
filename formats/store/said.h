/* What hpcrun-mark asks of a process. It writes the request to a file in the directory of
 * datafiles, whose name is the process's pid and its own after STORE_SAID_FILE, joined by '-', and
 * sends the process's first thread the signal `sig` of the store with this value (as sigqueue
 * does), until the file is gone: the process removes it when that is done. */
#ifndef FORMATS_STORE_SAID_H
#define FORMATS_STORE_SAID_H

#include "formats/identity/label_list.h"

#include <stdint.h>

#define STORE_SAID_VALUE 0x4850435341494400ull
#define STORE_SAID_FILE ".said-"

enum store_said_kind {
	STORE_SAID_LABEL,   /* set the labels of this list */
	STORE_SAID_UNLABEL, /* take away the labels of its keys, which are as regions */
	STORE_SAID_BEGIN,   /* enter its regions */
	STORE_SAID_END,     /* leave its regions; the list is empty: the innermost one */
	STORE_SAID_RECORD,  /* add amount to the metric whose name is its region */
	STORE_SAID_STOP,    /* stop measuring, */
	STORE_SAID_START,   /* and start it again */
	STORE_SAID_KINDS
};

struct store_said {
	uint32_t kind;
	char unit[12]; /* of a metric; with a zero */
	uint64_t amount;
	char list[LABEL_LIST_BYTES + 1]; /* see formats/identity/label_list.h; with a zero */
};

#endif
