#include "runtime/events/sampling.h"

#define ROW(id, ...) &csprof_sampling_##id,
const struct csprof_sampling *const csprof_samplings[] = {CSPROF_EVENTS(ROW)};
