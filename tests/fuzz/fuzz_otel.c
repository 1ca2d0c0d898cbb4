/* Fuzzes what programs publish with OpenTelemetry: a payload of the process, and the attributes of
 * a thread. What is told of either is in what was given, and no more of it. */
#include "formats/identity/otel.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool ok)
{
	if (!ok)
		abort();
}

/* Read every byte. */
static uint64_t sum_of(struct otel_text t)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < t.n; i++)
		sum += (uint8_t)t.at[i];
	return sum;
}

static void attribute(void *context, struct otel_text key, struct otel_text value)
{
	uint64_t *told = context;
	need(key.n > 0);
	*told += sum_of(key) + sum_of(value);
	*told += otel_is_id(key);
}

static void key(void *context, uint32_t number, struct otel_text name)
{
	uint64_t *told = context;
	need(number < OTEL_KEYS);
	*told += sum_of(name);
}

static void read_record(const uint8_t *data, size_t size)
{
	struct otel_value v;
	size_t at = 0, before = 0;
	uint64_t told = 0;
	while (otel_record_next(data, size, &at, &v)) {
		need(v.key == data[before] && at == before + 2 + v.value.n && at <= size);
		told += sum_of(v.value);
		before = at;
	}
	need(at == before && told <= UINT8_MAX * (uint64_t)size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* memory of its own, so that a byte behind it is found out */
	uint8_t *copy = malloc(size ? size : 1);
	uint64_t told = 0;
	const struct otel_process out = {attribute, key, &told};
	need(copy);
	if (size)
		memcpy(copy, data, size);
	otel_process_read(copy, size, &out);
	read_record(copy, size);
	free(copy);
	return 0;
}
