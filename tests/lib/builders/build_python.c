/* A datafile of a program in Python. */
#include "tests/lib/builders/build_datafile.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define REGION(name, depth) (CSP_REGION_BASE + ((name) << CSP_NOTE_SHIFT) + (depth))
#define SOURCE(number, at) (CSP_SOURCE_BASE + ((uint64_t)(number) << CSP_SOURCE_SHIFT) + (at))

/* Addresses of the interpreter, libc and an extension module. */
#define PYTHON(at) (0x500000 + (at))
#define LIBC(at) (0x600000 + (at))
#define FAST(at) (0x700000 + (at))
#define KERNEL(at) (CSP_KERNEL_BASE + (at))

static const struct build_metric metrics[] = {
    {"CPUTIME", CSP_METRIC_ASYNC, 1, NULL, 0},
    {"CPUTIME # samples", CSP_METRIC_ASYNC | CSP_METRIC_SAMPLES, 1000000, NULL, 0},
    {CSP_BLOCKED, CSP_METRIC_ASYNC, 1, NULL, 0},
    {CSP_BLOCKED " # samples", CSP_METRIC_ASYNC | CSP_METRIC_SAMPLES, 1000000, NULL, 0},
    {"MALLOC", 0, 1, NULL, 0},
    {"MALLOC # samples", CSP_METRIC_SAMPLES, 1, NULL, 0},
};
static const struct build_module modules[] = {
    {"/opt/py/bin/python3.11", 0x400000, PYTHON(0), 0x10000, "aa"},
    {"/opt/py/lib/libc.so.6", 0, LIBC(0), 0x10000, "bb"},
    {"/opt/py/lib/fast.so", 0, FAST(0), 0x10000, "cc"},
    {CSP_MODULE_KERNEL, CSP_KERNEL_BASE, CSP_KERNEL_BASE, CSP_KERNEL_EXTENT, NULL},
    {"/app/main.py", 0, SOURCE(0, 0), 0x1000, NULL},
    {"/opt/py/lib/python3/dist-packages/numpy/core/numeric.py", 0, SOURCE(1, 0), 0x10, NULL},
    {CSP_SOURCE_INTERPRETER, 0, SOURCE(2, 0), 1, NULL},
    {CSP_MODULE_REGION, CSP_REGION_BASE, CSP_REGION_BASE, CSP_NOTE_EXTENT, NULL}};
static const struct build_epoch epoch = {modules, COUNT(modules)};

/* f has 4 addresses on line 11, 2 on line 12, 2 on line 11, and others. */
static const struct build_code codes[] = {
    {SOURCE(0, 0x100), 20, 10, "f", "\11\1\5\1\5\177", 6},
    {SOURCE(0, 0), 10, 1, "<module>", "\5\0\21\24", 4},
    {SOURCE(0, 0x200), 8, 30, "Outer.run.<locals>.<lambda>", "\21\0", 2},
    {SOURCE(1, 0), 6, 100, "norm", "\4\11\345\0", 4},
    {SOURCE(2, 0), 1, 0, CSP_WAITS_FOR_GIL, "", 0}};

static const struct build_node main_nodes[] = {
    {0, 0, 0, {0}},
    {0, PYTHON(0x11), 0, {0}}, /* _start */
    {1, LIBC(0x11), 0, {0}},
    {2, PYTHON(0x21), 0, {0}},                /* main */
    {3, PYTHON(0x30), 0, {3, 1}},             /* before Python is run */
    {3, PYTHON(0x41), 0, {0}},                /* what runs it */
    {5, SOURCE(0, 3), 0, {0}},                /* <module>, line 11 */
    {6, SOURCE(0, 0x102), 0, {0}},            /* f, line 11 */
    {7, PYTHON(0x50), 0, {5, 1}},             /* the interpreter for it */
    {6, SOURCE(0, 0x101), 0, {7, 1}},         /* f itself, on that line */
    {7, PYTHON(0x61), 0, {0, 0, 0, 0, 2, 2}}, /* a call that was recorded */
    {10, FAST(0x11), 0, {0}},
    {11, FAST(0x20), 0, {9, 1}},
    {11, PYTHON(0x41), 0, {0}},     /* which runs Python again */
    {13, SOURCE(1, 1), 0, {11, 1}}, /* norm, no line */
    {13, SOURCE(1, 3), 0, {0}},     /* and line 201 */
    {15, LIBC(0x21), 0, {0}},
    {16, KERNEL(0x10), 0, {13, 1}},
    {7, REGION(1, 7), 0, {15, 1}},       /* in f */
    {10, REGION(1, 5), 0, {17, 1}},      /* outside of f */
    {7, SOURCE(2, 0), 0, {0, 0, 19, 1}}, /* waits for the lock */
    {5, SOURCE(0, 0x201), 0, {21, 1}},   /* the lambda */
    {5, SOURCE(0, 0x901), 0, {23, 1}},   /* of no function */
    {0, SOURCE(0, 0x106), 0, {0}},       /* f, line 12, but not what runs it */
    {23, PYTHON(0x50), 0, {25, 1}},      /* which is not known to be the interpreter */
};
static const struct build_node worker[] = {
    {0, 0, 0, {0}},
    {0, LIBC(0x31), 0, {0}},
    {1, PYTHON(0x71), 0, {0}},
    {2, PYTHON(0x80), 0, {27, 1}}, /* no Python */
    {2, SOURCE(2, 0), 0, {0, 0, 29, 1}},
};
static const struct build_tree trees[] = {
    {NULL, 0, main_nodes, COUNT(main_nodes), 0, CSP_TREE_COMPLETE, CSP_NONE, 0},
    {NULL, 0, worker, COUNT(worker), 1, CSP_TREE_COMPLETE, 0, 10},
};
static const struct build_thread threads[] = {
    {100, "python3", 1, 2, 3},
    {101, "worker", 1, 2, 3},
};
static const struct build_pair process[] = {
    {"command", "python3\0main.py", 15},
    {"pid", "100", 0},
    {"uninterpreted", "there are two of them", 0},
};
static const struct build_chunk names = {CSP_CHUNK_NAMES, "\1\0\0\0\1\0\0\0\1\0\0\0a", 13};

const struct build_file build_interpreter = {
    .target = "/opt/py/bin/python3.11",
    .metrics = metrics,
    .num_metrics = COUNT(metrics),
    .epochs = &epoch,
    .num_epochs = 1,
    .trees = trees,
    .num_trees = COUNT(trees),
    .process = process,
    .num_process = COUNT(process),
    .threads = threads,
    .num_threads = COUNT(threads),
    .without = 1 << CSP_CHUNK_ACCOUNT,
    .codes = codes,
    .num_codes = COUNT(codes),
    .chunks = &names,
    .num_chunks = 1,
};
