/* The example file that tests start from. */
#include "tests/lib/builders/build_datafile.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct build_pair about_time[] = {
    {"unit", "ns", 0},        {"source", "perf task-clock", 0},
    {"requested", "1000", 0}, {"achieved", "1000", 0},
    {"kernel", "yes", 0},     {"jitter", "uniform 0.5-1.5", 0},
};
static const struct build_pair about_count[] = {{"unit", "count", 0}};

static const struct build_metric metrics[] = {
    {"CPUTIME", CSP_METRIC_ASYNC, 1, about_time, COUNT(about_time)},
    {"CPUTIME" CSP_SAMPLES_SUFFIX, CSP_METRIC_ASYNC | CSP_METRIC_SAMPLES, 1000000, about_count,
     COUNT(about_count)},
    {"# returns", CSP_METRIC_RETURNS, 1, about_count, COUNT(about_count)},
};

static const struct build_module first_modules[] = {
    {"/opt/app/solver", 0x400000, 0x400000, 0x100000, "00112233445566778899aabbccddeeff00112233"},
    {"/lib/libm.so.6", 0, 0x12100000, 0x200000, "ffeeddccbbaa99887766554433221100ffeeddcc"},
    {"[vdso]", 0, 0x7ffff000, 0x1000, "0123456789abcdef"},
};
static const struct build_module second_modules[] = {
    {"/opt/app/solver", 0x400000, 0x400000, 0x100000, "00112233445566778899aabbccddeeff00112233"},
    {"/opt/app/plugin \"\xc3\xbc\".so", 0, 0x12100000, 0x1000, ""},
};
static const struct build_epoch epochs[] = {
    {first_modules, COUNT(first_modules)},
    {second_modules, COUNT(second_modules)},
};

/* Addresses and values fit into 4 bytes, so that files of both widths have the same contents. */
static const struct build_node main_nodes[] = {
    {0, 0, 0, {0}},
    {0, 0x401112, 0xbfff1000, {0}},
    {1, 0x401223, 0xbfff0f00, {0, 0, 3}},
    {2, 0x12100abc, 0xbfff0e00, {25100000, 25, 0}},
    {1, 0x401223, 0xbfff0f00, {4020000, 4, 0}},
    {1, 0x401300, 0xbfff0f00, {0}}, /* where the second thread was created */
};
static const struct build_node partial_nodes[] = {
    {0, 0, 0, {0}},
    {0, 0x12100def, 0xbfff0d00, {999000, 1, 0}},
};
static const struct build_node worker_nodes[] = {
    {0, 0, 0, {0}},
    {0, 0x401400, 0xbeff1000, {0}},
    {1, 0x401334, 0xbeff0e80, {6100000, 6, 0}},
    {1, 0x12100010, 0xbeff0e40, {2000000, 2, 1}},
};
static const struct build_tree trees[] = {
    {CSP_VERSION_TREE_T, 0, main_nodes, COUNT(main_nodes), 0, CSP_TREE_COMPLETE, CSP_NONE, 0},
    {CSP_VERSION_TREE_T, 0, partial_nodes, COUNT(partial_nodes), 0, CSP_TREE_PARTIAL, CSP_NONE, 0},
    {CSP_VERSION_TREE_T, 1, worker_nodes, COUNT(worker_nodes), 1, CSP_TREE_COMPLETE, 0, 5},
};

static const struct build_pair process[] = {
    {"command", "/opt/app/solver\0-n\000100", 22},
    {"executable", "/opt/app/solver", 0},
    {"host", "node7", 0},
    {"pid", "4242", 0},
    {"ppid", "4200", 0},
    {"start_ns", "1700000000000000000", 0},
    {"wall_ns", "40000000", 0},
    {"cpu_ns", "38519000", 0},
    {"end", "exit 0", 0},
    {"tool", "hpcrun 1.0", 0},
};

static const struct build_thread threads[] = {
    {4242, "solver", 0, 40000000, 30319000},
    {4243, "worker", 1000000, 39000000, 8200000},
};

static const struct build_account account[] = {
    {0, 0, "recorded", 29, 29120000}, {0, 0, "partial", 1, 999000},
    {0, 0, "unsafe code", 1, 100000}, {0, 0, "tail", 0, 100000},
    {1, 0, "recorded", 8, 8100000},   {1, 0, "tail", 0, 100000},
};

static const struct build_trace trace[] = {
    {1000000, 0, 0, 3, 1100000},
    {2000000, 2, 0, 2, 900000},
    {2500000, 1, 0, 1, 999000},
};

const struct build_file build_example = {
    .target = "/opt/app/solver",
    .tramp_samples = 7,
    .metrics = metrics,
    .num_metrics = COUNT(metrics),
    .epochs = epochs,
    .num_epochs = COUNT(epochs),
    .trees = trees,
    .num_trees = COUNT(trees),
    .process = process,
    .num_process = COUNT(process),
    .threads = threads,
    .num_threads = COUNT(threads),
    .account = account,
    .num_account = COUNT(account),
    .trace = trace,
    .num_trace = COUNT(trace),
};

#define REGION(name, depth) (CSP_REGION_BASE + ((name) << CSP_NOTE_SHIFT) + (depth))
#define LABEL(key, value) (CSP_LABEL_BASE + ((key) << CSP_NOTE_SHIFT) + (value))

static const struct build_metric own_metrics[] = {
    {"CPUTIME", CSP_METRIC_ASYNC, 1, NULL, 0},
    {"CPUTIME # samples", CSP_METRIC_ASYNC | CSP_METRIC_SAMPLES, 1000000, NULL, 0},
    {CSP_ENTRIES, 0, 1, NULL, 0},
    {CSP_ENTRIES " # samples", CSP_METRIC_SAMPLES, 1, NULL, 0},
};
static const struct build_module own_modules[] = {
    {"/p", 0x400000, 0x500000, 0x10000, "aa"},
    {CSP_MODULE_REGION, CSP_REGION_BASE, CSP_REGION_BASE, CSP_NOTE_EXTENT, NULL},
    {CSP_MODULE_LABEL, CSP_LABEL_BASE, CSP_LABEL_BASE, CSP_NOTE_EXTENT, NULL}};
static const struct build_epoch own_epoch = {own_modules, 3};
static const struct build_node own_nodes[] = {
    {0, 0, 0, {0}},
    {0, 0x500011, 0, {0}},
    {1, 0x500021, 0, {0}},
    {2, 0x500031, 0, {0}},
    {3, REGION(1, 1), 0, {5, 1}},
    {4, REGION(2, 2), 0, {7, 1}},
    {4, REGION(2, 1), 0, {9, 1}},
    {2, 0x500030, 0, {11, 1}},
    {4, REGION(2, 3), 0, {13, 1}},
    {0, REGION(1, 0), 0, {0, 0, 3, 3}},
    {9, REGION(2, 0), 0, {0, 0, 4, 4}},
    {9, 0x500041, 0, {15, 1}},
    {11, REGION(3, 9), 0, {17, 1}},
    {3, LABEL(1, 2), 0, {19, 1}},
    {13, REGION(1, 1), 0, {21, 1}},
};
static const struct build_tree own_tree = {
    NULL, 0, own_nodes, sizeof own_nodes / sizeof *own_nodes, 0, CSP_TREE_COMPLETE, CSP_NONE, 0};
static const struct build_chunk own_names = {CSP_CHUNK_NAMES,
					     "\2\0\0\0\1\0\0\0\1\0\0\0a\2\0\0\0\1\0\0\0b", 22};

const struct build_file build_regions = {
    .target = "/p",
    .metrics = own_metrics,
    .num_metrics = 4,
    .epochs = &own_epoch,
    .num_epochs = 1,
    .trees = &own_tree,
    .num_trees = 1,
    .without = 1 << CSP_CHUNK_ACCOUNT | 1 << CSP_CHUNK_THREADS,
    .chunks = &own_names,
    .num_chunks = 1,
};

static const struct build_value some_values[] = {
    {0, 0x500011, 2, 4, 100, 7, 90, 0, 2, {{10, 93, 0}, {0, 7, 0}}},
    {0, 0x500011, 2 | CSP_VALUE_DIFFERENCE, 4, 40, 40, 39, 0, 1, {{0, 40, 0}}},
    {0, 0x500020, CSP_VALUE_BRANCH, 1, 50, 50, 49, 0, 1, {{0, 50, 0}}},
    /* clang-format off */
    {0, 0x500021, CSP_VALUE_ADDRESS, 8, 80, 0, 1, 15, 4,
     {{0x7000, 30, 28}, {0x7010, 20, 19}, {0x7020, 15, 14}, {0x7030, 15, 14}}},
    {0, 0x500021, CSP_VALUE_ADDRESS | CSP_VALUE_DIFFERENCE, 8, 60, 0, 58, 0, 2,
     {{16, 59, 0}, {(uint64_t)-4080, 1, 0}}},
    /* clang-format on */
    {0, 0x500025, CSP_VALUE_REPLAY, 8, 20, 5, 15, 0, 2, {{0x500021, 15, 0}, {0, 5, 0}}},
    {0, 0x500030, CSP_VALUE_ARGUMENT + 1, 8, 12, 0, 11, 0, 1, {{64, 12, 0}}},
};
static const struct build_windows some_windows = {
    .windows = 100,
    .steps = 790,
    .ns = 1500000,
    .dropped = 3,
    .num_refused = CSP_VALUE_REFUSALS,
    .refused = {1, 2, 3, 4, 5, 6, 7},
    .values = some_values,
    .num_values = sizeof some_values / sizeof *some_values,
};

const struct build_file build_values = {
    .target = "/p",
    .metrics = own_metrics,
    .num_metrics = 2,
    .epochs = &own_epoch,
    .num_epochs = 1,
    .trees = &own_tree,
    .num_trees = 1,
    .without = 1 << CSP_CHUNK_ACCOUNT | 1 << CSP_CHUNK_THREADS,
    .windows = &some_windows,
    .chunks = &own_names,
    .num_chunks = 1,
};
