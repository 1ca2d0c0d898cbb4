/* The placement of the library's own variables. The first write to a page costs a page fault,
 * and in a forked child a copy of the page as well; in a virtual machine that may take 20 us. So
 * the linker sorts the parts of .bss by name (Makefile: --sort-section): most variables,
 * TOGETHER, FIRST, LARGE. Used by all of runtime/. */
#ifndef RUNTIME_BASE_SECTIONS_H
#define RUNTIME_BASE_SECTIONS_H

/* Variables that every forked process writes, in as few pages as possible. */
#define CSPROF_TOGETHER __attribute__((section(".bss.csprof_2_together")))
/* The one table of which every process uses the first entries: these share TOGETHER's last page. */
#define CSPROF_FIRST __attribute__((section(".bss.csprof_4_first")))
/* Tables of which most programs use only a few pages. */
#define CSPROF_LARGE __attribute__((section(".bss.csprof_5_large")))

/* What is before and after TOGETHER. */
#define CSPROF_BEFORE_TOGETHER __attribute__((section(".bss.csprof_1_before")))
#define CSPROF_AFTER_TOGETHER __attribute__((section(".bss.csprof_3_after")))

/* Fault in the pages of everything except the tables, or of TOGETHER, by one system call. In a
 * static program, whose linker does not sort, nothing is done. */
void csprof_touch_all(void);
void csprof_touch_together(void);

#endif
