#ifndef TESTS_STEPPING_STEPPING_H
#define TESTS_STEPPING_STEPPING_H

#include <stdbool.h>

/* Whether $STEPPING_WITHOUT is that rule. */
bool stepping_is_without(const char *rule);

/* Count a difference. */
void stepping_is_wrong(void);

#endif
