/* Where the library's own variables lie. Each page that is written to for the first time costs
 * an interrupt, and each that a forked child writes to a copy besides; in a virtual machine
 * that may be 20 us. So the linker sorts the parts of .bss by name (Makefile: --sort-section):
 * most variables, TOGETHER, FIRST, LARGE. Used by all of runtime/. */
#ifndef RUNTIME_SECTIONS_H
#define RUNTIME_SECTIONS_H

/* What every process writes that begins by fork, in as few pages as can be. */
#define CSPROF_TOGETHER __attribute__((section(".bss.csprof_2_together")))
/* The one table of which every process uses the first entries: they share TOGETHER's last page. */
#define CSPROF_FIRST __attribute__((section(".bss.csprof_4_first")))
/* Tables of which most programs use only a few pages. */
#define CSPROF_LARGE __attribute__((section(".bss.csprof_5_large")))

/* What stands before and after TOGETHER. */
#define CSPROF_BEFORE_TOGETHER __attribute__((section(".bss.csprof_1_before")))
#define CSPROF_AFTER_TOGETHER __attribute__((section(".bss.csprof_3_after")))

/* Have the pages of all but the tables, or of TOGETHER, by one call of the kernel. In a static
 * program, whose linker does not sort, nothing is done. */
void csprof_touch_all(void);
void csprof_touch_together(void);

#endif
