/* Names for the entries of the procedure linkage table, which have no symbols: "memcpy@plt", from
 * the relocation of the slot that an entry jumps through. Supports x86-64 and AArch64; other
 * machines have no names. */
#ifndef SYMBOLIZE_PLT_H
#define SYMBOLIZE_PLT_H

#include "symbolize/names.h"
#include "symbolize/symbols.h"
#include "symbolize/work.h"

/* Fill *s (free it with symbols_free), with the entries whose names can be paid for. -1 only if
 * memory ran out. */
int plt_read(struct symbols *s, Elf *elf, struct symbol_names *names, struct work *work);

#endif
