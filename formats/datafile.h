/* The datafile: names, numbers and layouts shared by the runtime, which writes it, and the
 * reader. formats/README.md describes the format. This header contains no code. */
#ifndef FORMATS_DATAFILE_H
#define FORMATS_DATAFILE_H

#include "formats/identity/kernel.h"
#include "formats/identity/notes.h"
#include "formats/identity/sources.h"

#define CSP_MAGIC_FILE "HPC_CSPROF"
#define CSP_MAGIC_TREE "HPC_CSTREE"
#define CSP_MAGIC_META "HPC_CSMETA"
#define CSP_VERSION_FILE "01.00"       /* what we write */
#define CSP_VERSION_FILE_LATER "01.01" /* same layout; readers accept it */
#define CSP_VERSION_TREE "01.00"       /* no return counts among the metrics */
#define CSP_VERSION_TREE_T "01.0T"     /* with return counts; same node layout */
#define CSP_VERSION_META "01.00"
#define CSP_SUFFIX ".csp" /* datafiles are named <command>.<host>.<pid>.<seq>.csp */

enum {
	CSP_MAGIC_BYTES = 10,
	CSP_VERSION_BYTES = 5,
	CSP_FILE_HEADER_BYTES = 24,
	CSP_TREE_HEADER_BYTES = 16 + 4 + 4 + 8 + 4,
	CSP_NODE_FIXED_WORDS = 4, /* id, parent, ip, sp; then the metrics */
};

enum { CSP_ORDER_LITTLE = 'l', CSP_ORDER_BIG = 'b' };

/* The tag of an hpcfile_string is (data tag << 4 | 0), of an hpcfile_number
 * (data tag << 4 | 1). */
enum {
	CSP_TAG_TARGET = 0x00,
	CSP_TAG_DLL_NAME = 0x10,
	CSP_TAG_DLL_ADDRESS = 0x21,
	CSP_TAG_EVENT_NAME = 0x30,
	CSP_TAG_PERIOD = 0x41,
	CSP_TAG_FLAGS = 0x51,
};

/* Flags of a metric. */
enum {
	CSP_METRIC_ASYNC = 2,        /* sampled asynchronously */
	CSP_METRIC_SAMPLES = 4,      /* counts the samples of the metric before it */
	CSP_METRIC_RETURNS = 8,      /* return count */
	CSP_METRIC_ACTIVATIONS = 16, /* activation count */
	CSP_METRIC_ABANDONED = 32    /* count of activations that did not end by a return */
};
#define CSP_SAMPLES_SUFFIX " # samples" /* V's name + this = N's name */
/* The parts of a thread's elapsed time: on a CPU; not ready to run; ready, but waiting for a CPU.
 */
#define CSP_CPUTIME "CPUTIME"
#define CSP_BLOCKED "BLOCKED"
#define CSP_RUNNABLE "RUNNABLE"
/* Of BLOCKED, what other threads waited for this one. */
#define CSP_BLAME "BLAME"
/* The columns of counts of activations: see README.md. */
#define CSP_ACTIVATIONS "ACTIVATIONS"
#define CSP_RETURNS "RETURNS"
#define CSP_ABANDONED "ABANDONED"
#define CSP_FIRST_RETURNS "FIRST RETURNS"
#define CSP_FIRST_ABANDONED "FIRST ABANDONED"

/* Tags of the trailer's chunks. */
enum {
	CSP_CHUNK_PROCESS = 1,
	CSP_CHUNK_MODULES = 2,
	CSP_CHUNK_TREES = 3,
	CSP_CHUNK_ACCOUNT = 4,
	CSP_CHUNK_TRACE = 5,
	CSP_CHUNK_VALUES = 6,
	CSP_CHUNK_METRICS = 7,
	CSP_CHUNK_THREADS = 8,
	CSP_CHUNK_MERGED = 9,
	CSP_CHUNK_GROUPS = 10,
	CSP_CHUNK_NAMES = 11,
	CSP_CHUNK_CODE = 12,
};

/* What a row of VALUES is about: a register (numbers below CSP_VALUE_REGISTERS, of the process's
 * CPU: x86-64: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15, and from 16 on the low 64 bits of
 * xmm0 to xmm15), or one of these. */
enum csp_value {
	CSP_VALUE_REGISTERS = 32,
	CSP_VALUE_BRANCH = 64, /* 1: the conditional branch was taken; 0: it was not */
	CSP_VALUE_TARGET,      /* where an indirect jump or call went: an address */
	CSP_VALUE_ADDRESS,     /* of the memory that it used, */
	CSP_VALUE_STORED,      /* what it wrote there, */
	CSP_VALUE_LOADED,      /* what it read there, if that is not the value of a register */
	CSP_VALUE_OPERAND,     /* divisor or factor */
	CSP_VALUE_REPLAY, /* address of the store shortly before that wrote what it read; 0: none */
	CSP_VALUE_ALIAS,  /* the same of one 4 KB times n away, and not the same memory */
	CSP_VALUE_ARGUMENT =
	    80 /* and the next five: at a function's entry, its integer arguments */
};
enum {
	CSP_VALUE_ARGUMENTS = 6,
	CSP_VALUE_DIFFERENCE = 128, /* added: by how much it grew from one time to the next */
	CSP_VALUE_TOP = 4,          /* the most frequent ones that a row has */
};

/* Why no values were recorded after a sample. */
enum csp_value_refusal {
	CSP_VALUE_TRACED,   /* by a debugger, or the like */
	CSP_VALUE_FILTERED, /* the thread is under a filter of system calls */
	CSP_VALUE_HANDLED,  /* the program handles SIGTRAP, or steps itself */
	CSP_VALUE_BLOCKED,  /* SIGTRAP is blocked */
	CSP_VALUE_CODE,     /* the next instruction cannot be stepped */
	CSP_VALUE_BUDGET,   /* values may take half of the budget */
	CSP_VALUE_MEMORY,   /* the thread got none */
	CSP_VALUE_REFUSALS
};
#define CSP_VALUE_REFUSAL_TEXTS                                                                    \
	{                                                                                          \
		"a debugger is attached", "system calls are filtered",                             \
		    "the program handles SIGTRAP or steps itself", "SIGTRAP is blocked",           \
		    "the next instruction cannot be stepped", "half of the budget is used",        \
		    "no memory"                                                                    \
	}

/* The kinds of the rows of GROUPS. */
enum csp_group_kind {
	CSP_GROUP_MAIN,    /* main threads */
	CSP_GROUP_CREATED, /* other threads */
	CSP_GROUP_ENDED,   /* threads that ended, of which a datafile has no more */
	CSP_GROUP_NOT_SAID /* values that a datafile does not have by thread */
};

enum { CSP_TREE_COMPLETE = 0, CSP_TREE_PARTIAL = 1 };
#define CSP_NONE 0xffffffffu /* no thread (shared by several), no creator tree */

/* The outcome of a sample, or of a part of a thread's time: the rows of ACCOUNT, in this order.
 * The first two are in the trees, the others are not; the last three have weight but never
 * samples. */
enum csp_disposition {
	CSP_RECORDED,           /* a complete path in the tree */
	CSP_PARTIAL,            /* a path that stops before the stack's base */
	CSP_UNSAFE_CODE,        /* the pc is in code where no sample may be taken */
	CSP_EXCEPTION_HANDLING, /* the thread was raising an exception */
	CSP_LOAD_MAP_CHANGING,  /* modules were being loaded or unloaded */
	CSP_UNWIND_FAILED,      /* not even the leaf's caller could be found */
	CSP_OUT_OF_MEMORY,      /* the store is full */
	CSP_OWN_CODE,           /* the thread was in the profiler; weight also without a sample */
	CSP_REENTERED,          /* the handler interrupted itself */
	CSP_SIGNAL_TAKEN,       /* the program has taken over our signal */
	CSP_FAULT,              /* the handler faulted */
	CSP_MEASURING_OFF,      /* weight after we had to stop */
	CSP_STOPPED,            /* weight while the user or the program had stopped measuring */
	CSP_TAIL,               /* weight after the last handled sample */
	CSP_DISPOSITIONS
};

/* The texts of ACCOUNT rows, indexed by enum csp_disposition. */
#define CSP_DISPOSITION_NAMES                                                                      \
	{                                                                                          \
		"recorded", "partial", "unsafe code", "exception handling", "load map changing",   \
		    "unwind failed", "out of memory", "own code", "reentered", "signal taken",     \
		    "fault", "measuring off", "stopped", "tail"                                    \
	}

/* A row of THREADS with number 0 and this name contains the merged data of many threads that
 * have ended. */
#define CSP_ENDED_THREADS "ended threads"

/* The file in a measurement directory that names the programs that hpcrun or measured processes
 * started and that could not be measured: for each start a line of the reason (STATIC, RIGHTS,
 * FOREIGN, HIDDEN), a tab, and the path of the program. Lines may be incomplete or not UTF-8. */
#define CSP_UNMEASURED_FILE "not-measured"
#define CSP_UNMEASURED_STATIC "static"   /* statically linked, without our library */
#define CSP_UNMEASURED_RIGHTS "rights"   /* setuid, setgid, or with file capabilities */
#define CSP_UNMEASURED_FOREIGN "foreign" /* of another architecture or C library; an emulator */
#define CSP_UNMEASURED_HIDDEN "hidden"   /* the library cannot be read where it was started */
/* The reasons, each followed by the text for a user. */
#define CSP_UNMEASURED_TEXTS                                                                       \
	{                                                                                          \
		{CSP_UNMEASURED_STATIC, "statically linked"},                                      \
		    {CSP_UNMEASURED_RIGHTS, "setuid, setgid or with capabilities"},                \
		    {CSP_UNMEASURED_FOREIGN, "another architecture or C library, or an emulator"}, \
		    {CSP_UNMEASURED_HIDDEN, "hpcrun's library cannot be read there"},              \
	}

/* Pseudo-modules of the epochs table; CSP_MODULE_KERNEL and CSP_MODULE_REGION are others. */
#define CSP_MODULE_VDSO "[vdso]"
#define CSP_MODULE_ANONYMOUS "[anonymous]"
#define CSP_VDSO_PREFIX "vdso-" /* + build-id: the image saved next to the datafile */

#endif
