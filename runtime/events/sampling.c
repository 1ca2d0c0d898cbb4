#include "runtime/events/sampling.h"

#define ROW(by, ...) &csprof_sampling_##by,
const struct csprof_sampling *const csprof_samplings[] = {CSPROF_EVENTS(ROW)};
