#include "formats/base/vec.h"

#include <stdint.h>

bool vec_grow(void **at, size_t *cap, size_t want, size_t size)
{
	size_t grown = *cap ? *cap : 8;
	while (grown < want) {
		if (grown > SIZE_MAX / 2)
			return false;
		grown *= 2;
	}
	if (grown > SIZE_MAX / size)
		return false;
	void *p = realloc(*at, grown * size);
	if (!p)
		return false;
	*at = p;
	*cap = grown;
	return true;
}
