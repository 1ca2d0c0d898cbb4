/* The pseudo-module that stands for what a program says of itself. A node whose ip is in it is not
 * a call: it says something of the path to its first ancestor that is one, which is where its
 * values belong. Below each other such nodes say several things of one path.
 *
 * A region: ip = CSP_REGION_BASE + name << CSP_NOTE_SHIFT + depth. The name is a number of the
 * chunk NAMES. The depth is the number of the path's frames, counted from the outermost one, up to
 * the one of the function that began the region; 0: it is not on the path, all of which is in the
 * region. Below a tree's root the nodes of regions (of depth 0) are the regions in each other, and
 * what was recorded there belongs to the regions themselves: how often they were entered.
 *
 * No CPU can have memory at such an address. This header contains no code. */
#ifndef FORMATS_IDENTITY_NOTES_H
#define FORMATS_IDENTITY_NOTES_H

#define CSP_MODULE_REGION "[region]"
#define CSP_REGION_BASE 0x3fe0000000000000ull
#define CSP_NOTE_EXTENT (1ull << 44)

enum {
	CSP_NOTE_SHIFT = 20,
	CSP_NOTE_DEPTH = (1 << CSP_NOTE_SHIFT) - 1, /* its bits */
	CSP_NAMES = 1 << CSP_NOTE_SHIFT,            /* names have smaller numbers, from 1 */
	CSP_NAME_BYTES = 255                        /* at most */
};

/* A label: ip = CSP_LABEL_BASE + kind << 2 * CSP_NOTE_SHIFT + key << CSP_NOTE_SHIFT + value, where
 * key and value are numbers in NAMES. Value 0: there were too many. A number is its decimal digits,
 * after a minus if it is negative. Labels are above regions, in the order of their keys' numbers,
 * each key once. */
#define CSP_MODULE_LABEL "[label]"
#define CSP_LABEL_BASE 0x3fd0000000000000ull
enum csp_label_kind { CSP_LABEL_TEXT, CSP_LABEL_NUMBER };
enum {
	CSP_LABEL_BYTES = 95,        /* of a value, at most */
	CSP_MOST_VALUES = 100 * 1000 /* of a program image, about; others have value 0 */
};

/* The program's own metrics of regions. */
#define CSP_ENTRIES "ENTRIES"
#define CSP_UNBALANCED "UNBALANCED"

#endif
