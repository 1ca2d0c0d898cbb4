#include "runtime/launcher/perf_names.h"

#include "formats/datafile.h"
#include "runtime/events/list.h"

#include <linux/perf_event.h>
#include <string.h>

enum { RARE = 100, SOME = 10 * 1000, MANY = 1000 * 1000, PER_CYCLE = 1000 * 1000 * 1000 };

#define ROW(kind_, config_, event, rate, what)                                                     \
	{                                                                                          \
		.name = (event), .text = (what), .kind = {.type = (kind_), .config = (config_)},   \
		.per_second = (rate)                                                               \
	}
#define COUNTED_IN_SOFTWARE(id, event, rate, what)                                                 \
	ROW(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, event, rate, what)
#define COUNTED_IN_HARDWARE(id, event, rate, what)                                                 \
	ROW(PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, event, rate, what)
/* The cache, what is done to it, and whether it misses: a byte each. */
#define OF_CACHE(id, op, result, event, what)                                                      \
	ROW(PERF_TYPE_HW_CACHE,                                                                    \
	    PERF_COUNT_HW_CACHE_##id | PERF_COUNT_HW_CACHE_OP_##op << 8 |                          \
		PERF_COUNT_HW_CACHE_RESULT_##result << 16,                                         \
	    event, MANY, what)
#define LOADS(id, cache, what)                                                                     \
	OF_CACHE(id, READ, ACCESS, cache "-loads", "loads from " what),                            \
	    OF_CACHE(id, READ, MISS, cache "-load-misses", "loads that missed " what)
#define STORES(id, cache, what)                                                                    \
	OF_CACHE(id, WRITE, ACCESS, cache "-stores", "stores to " what),                           \
	    OF_CACHE(id, WRITE, MISS, cache "-store-misses", "stores that missed " what)
#define PREFETCHES(id, cache, what)                                                                \
	OF_CACHE(id, PREFETCH, ACCESS, cache "-prefetches", "prefetches into " what),              \
	    OF_CACHE(id, PREFETCH, MISS, cache "-prefetch-misses", "prefetches that missed " what)

const struct launch_perf_name launch_perf_names[] = {
    COUNTED_IN_SOFTWARE(CPU_MIGRATIONS, "cpu-migrations", RARE,
			"moves of the thread to another CPU"),
    COUNTED_IN_SOFTWARE(ALIGNMENT_FAULTS, "alignment-faults", SOME,
			"accesses to unaligned memory that the kernel completed"),
    COUNTED_IN_SOFTWARE(EMULATION_FAULTS, "emulation-faults", SOME,
			"instructions that the kernel emulated"),
    COUNTED_IN_HARDWARE(CPU_CYCLES, "cycles", PER_CYCLE, "cycles of the CPU, at its current speed"),
    COUNTED_IN_HARDWARE(REF_CPU_CYCLES, "ref-cycles", PER_CYCLE,
			"cycles of the CPU, at its nominal speed"),
    COUNTED_IN_HARDWARE(INSTRUCTIONS, "instructions", PER_CYCLE, "instructions completed"),
    COUNTED_IN_HARDWARE(BRANCH_INSTRUCTIONS, "branches", PER_CYCLE / 10, "branches completed"),
    COUNTED_IN_HARDWARE(BRANCH_MISSES, "branch-misses", MANY, "branches that were mispredicted"),
    COUNTED_IN_HARDWARE(CACHE_REFERENCES, "cache-references", MANY,
			"accesses to the last level of cache"),
    COUNTED_IN_HARDWARE(CACHE_MISSES, "cache-misses", MANY,
			"accesses that missed the last level of cache"),
    COUNTED_IN_HARDWARE(STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend", MANY,
			"cycles that waited for instructions"),
    COUNTED_IN_HARDWARE(STALLED_CYCLES_BACKEND, "stalled-cycles-backend", MANY,
			"cycles that waited for data or for units of execution"),
    COUNTED_IN_HARDWARE(BUS_CYCLES, "bus-cycles", MANY, "cycles of the bus"),
    LOADS(L1D, "L1-dcache", "the first level of data cache"),
    STORES(L1D, "L1-dcache", "the first level of data cache"),
    PREFETCHES(L1D, "L1-dcache", "the first level of data cache"),
    LOADS(L1I, "L1-icache", "the cache of instructions"),
    PREFETCHES(L1I, "L1-icache", "the cache of instructions"),
    LOADS(LL, "LLC", "the last level of cache"),
    STORES(LL, "LLC", "the last level of cache"),
    PREFETCHES(LL, "LLC", "the last level of cache"),
    LOADS(DTLB, "dTLB", "the TLB of data"),
    STORES(DTLB, "dTLB", "the TLB of data"),
    PREFETCHES(DTLB, "dTLB", "the TLB of data"),
    LOADS(ITLB, "iTLB", "the TLB of instructions"),
    OF_CACHE(BPU, READ, ACCESS, "branch-loads", "branches that the predictor was asked about"),
    OF_CACHE(BPU, READ, MISS, "branch-load-misses", "branches that the predictor did not know"),
    LOADS(NODE, "node", "the memory of this NUMA node"),
    STORES(NODE, "node", "the memory of this NUMA node"),
    PREFETCHES(NODE, "node", "the memory of this NUMA node"),
    {.name = NULL},
};

/* Those with the same meaning together. Of PAPI's presets those that mean the same as one event of
 * perf (papi_avail(1)). DCPI's are those of its monitor. */
const struct launch_synonym launch_synonyms[] = {
    {"cpu-clock", CSP_CPUTIME},
    {"task-clock", CSP_CPUTIME},
    {"WALLCLOCK", CSPROF_REALTIME},
    {"faults", "page-faults"},
    {"cs", "context-switches"},
    {"migrations", "cpu-migrations"},
    {"cpu-cycles", "cycles"},
    {"PAPI_TOT_CYC", "cycles"},
    {"branch-instructions", "branches"},
    {"PAPI_BR_INS", "branches"},
    {"idle-cycles-frontend", "stalled-cycles-frontend"},
    {"idle-cycles-backend", "stalled-cycles-backend"},
    {"PAPI_RES_STL", "stalled-cycles-backend"},
    {"PAPI_REF_CYC", "ref-cycles"},
    {"PAPI_TOT_INS", "instructions"},
    {"PAPI_BR_MSP", "branch-misses"},
    {"branchmp", "branch-misses"},
    {"PAPI_L1_LDM", "L1-dcache-load-misses"},
    {"dmiss", "L1-dcache-load-misses"},
    {"PAPI_L1_STM", "L1-dcache-store-misses"},
    {"PAPI_L1_ICM", "L1-icache-load-misses"},
    {"imiss", "L1-icache-load-misses"},
    {"PAPI_L3_TCA", "cache-references"},
    {"PAPI_L3_TCM", "cache-misses"},
    {"PAPI_L3_LDM", "LLC-load-misses"},
    {"PAPI_L3_STM", "LLC-store-misses"},
    {"PAPI_TLB_DM", "dTLB-load-misses"},
    {"dtbmiss", "dTLB-load-misses"},
    {"PAPI_TLB_IM", "iTLB-load-misses"},
    {"itbmiss", "iTLB-load-misses"},
    {NULL, NULL},
};

static int is(const char *row, const char *name, size_t n)
{
	return strlen(row) == n && memcmp(row, name, n) == 0;
}

const struct launch_perf_name *launch_perf_name(const char *name, size_t n)
{
	for (const struct launch_perf_name *row = launch_perf_names; row->name; row++)
		if (is(row->name, name, n))
			return row;
	return NULL;
}

const char *launch_synonym(const char *name, size_t n)
{
	for (const struct launch_synonym *row = launch_synonyms; row->name; row++)
		if (is(row->name, name, n))
			return row->means;
	return NULL;
}
