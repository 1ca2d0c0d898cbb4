/* Files that are no datafiles: what they are, for a message. */
#ifndef HPCPROF_LOAD_FOREIGN_H
#define HPCPROF_LOAD_FOREIGN_H

#include "formats/base/error.h"

/* For a file that cannot be read as a datafile: if it does not even begin like one and is of a
 * known kind, say in *e (ERROR_VERSION) what it is and what to do with it. Else *e stays. fd: the
 * file, whose position is not changed. */
void foreign_explain(int fd, struct error *e);

#endif
