/* A small interpreter, for `make demo-faster`. It runs a program that finds the number below a
 * limit whose Collatz sequence is longest, and the mean length. Most of its code is for what hardly
 * ever happens, and each step calls short functions: so it gains much if the compiler knows what
 * happens often.
 *
 *     interpreter [LIMIT]
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum kind { NOTHING, INTEGER, REAL };

struct value {
	enum kind kind;
	union {
		int64_t integer;
		double real;
	};
};

enum operation {
	CONSTANT, /* push */
	GET,      /* push a variable */
	SET,      /* pop into a variable */
	ADD,
	MULTIPLY,
	DIVIDE,
	REMAINDER,
	LESS,
	JUMP,
	JUMP_UNLESS,
	REAL_OF,
	PRINT,
	STOP,
};

struct step {
	enum operation operation;
	int64_t operand;
};

enum { VARIABLES = 16 };

struct machine {
	struct value *stack;
	size_t used, room;
	struct value variables[VARIABLES];
	uint64_t steps;
};

static void fail(const struct machine *m, const char *what)
{
	fprintf(stderr, "interpreter: after %llu steps: %s\n", (unsigned long long)m->steps, what);
	exit(1);
}

/* ---- the stack ---------------------------------------------------------------------- */

static void push(struct machine *m, struct value v)
{
	if (m->used == m->room) {
		size_t room = m->room ? 2 * m->room : 4;
		struct value *stack = realloc(m->stack, room * sizeof *stack);
		if (!stack)
			fail(m, "out of memory");
		m->stack = stack;
		m->room = room;
	}
	m->stack[m->used++] = v;
}

static struct value pop(struct machine *m)
{
	if (!m->used)
		fail(m, "the stack is empty");
	return m->stack[--m->used];
}

static void push_integer(struct machine *m, int64_t i)
{
	push(m, (struct value){.kind = INTEGER, .integer = i});
}

/* ---- arithmetic --------------------------------------------------------------------- */

static double real_of(const struct machine *m, struct value v)
{
	if (v.kind == INTEGER)
		return (double)v.integer;
	if (v.kind != REAL)
		fail(m, "a number was expected");
	return v.real;
}

static struct value calculate_real(const struct machine *m, enum operation op, double a, double b)
{
	struct value v = {.kind = REAL};

	switch (op) {
	case ADD:
		v.real = a + b;
		break;
	case MULTIPLY:
		v.real = a * b;
		break;
	case DIVIDE:
		v.real = a / b;
		break;
	case LESS:
		return (struct value){.kind = INTEGER, .integer = a < b};
	default:
		fail(m, "not for real numbers");
	}
	return v;
}

/* What is too large for an integer becomes a real number. */
static struct value calculate(const struct machine *m, enum operation op, struct value a,
			      struct value b)
{
	struct value v = {.kind = INTEGER};

	if (a.kind != INTEGER || b.kind != INTEGER)
		return calculate_real(m, op, real_of(m, a), real_of(m, b));
	switch (op) {
	case ADD:
		if (__builtin_add_overflow(a.integer, b.integer, &v.integer))
			return calculate_real(m, op, (double)a.integer, (double)b.integer);
		break;
	case MULTIPLY:
		if (__builtin_mul_overflow(a.integer, b.integer, &v.integer))
			return calculate_real(m, op, (double)a.integer, (double)b.integer);
		break;
	case DIVIDE:
		if (!b.integer)
			fail(m, "division by zero");
		v.integer = a.integer / b.integer;
		break;
	case REMAINDER:
		if (!b.integer)
			fail(m, "division by zero");
		v.integer = a.integer % b.integer;
		break;
	case LESS:
		v.integer = a.integer < b.integer;
		break;
	default:
		fail(m, "no such operation");
	}
	return v;
}

static bool is_true(const struct machine *m, struct value v)
{
	if (v.kind == NOTHING)
		fail(m, "a condition without a value");
	return v.kind == REAL ? v.real != 0 : v.integer != 0;
}

/* ---- steps -------------------------------------------------------------------------- */

static struct value *variable(struct machine *m, int64_t number)
{
	if (number < 0 || number >= VARIABLES)
		fail(m, "no such variable");
	return &m->variables[number];
}

static void print(const struct machine *m, struct value v)
{
	if (v.kind == INTEGER)
		printf("%lld\n", (long long)v.integer);
	else
		printf("%g\n", real_of(m, v));
}

static void run(struct machine *m, const struct step *code)
{
	for (const struct step *at = code;; at++, m->steps++) {
		switch (at->operation) {
		case CONSTANT:
			push_integer(m, at->operand);
			break;
		case GET:
			push(m, *variable(m, at->operand));
			break;
		case SET:
			*variable(m, at->operand) = pop(m);
			break;
		case ADD:
		case MULTIPLY:
		case DIVIDE:
		case REMAINDER:
		case LESS: {
			struct value b = pop(m), a = pop(m);
			push(m, calculate(m, at->operation, a, b));
			break;
		}
		case JUMP:
			at = code + at->operand - 1;
			break;
		case JUMP_UNLESS:
			if (!is_true(m, pop(m)))
				at = code + at->operand - 1;
			break;
		case REAL_OF:
			push(m, (struct value){.kind = REAL, .real = real_of(m, pop(m))});
			break;
		case PRINT:
			print(m, pop(m));
			break;
		case STOP:
			return;
		}
	}
}

/* ---- the program -------------------------------------------------------------------- */

enum { START, NUMBER, LENGTH, LONGEST, BEST, SUM, LIMIT };

/* clang-format off */
static const struct step program[] = {
    /* 0 */ {GET, START}, {CONSTANT, 1}, {ADD, 0}, {SET, START},
    /* 4 */ {GET, START}, {GET, LIMIT}, {LESS, 0}, {JUMP_UNLESS, 48},
    /* 8 */ {GET, START}, {SET, NUMBER}, {CONSTANT, 0}, {SET, LENGTH},
    /* 12: a step of the sequence */
    {CONSTANT, 1}, {GET, NUMBER}, {LESS, 0}, {JUMP_UNLESS, 35},
    /* 16 */ {GET, LENGTH}, {CONSTANT, 1}, {ADD, 0}, {SET, LENGTH},
    /* 20 */ {GET, NUMBER}, {CONSTANT, 2}, {REMAINDER, 0}, {JUMP_UNLESS, 30},
    /* 24 */ {GET, NUMBER}, {CONSTANT, 3}, {MULTIPLY, 0}, {CONSTANT, 1},
    /* 28 */ {ADD, 0}, {JUMP, 33},
    /* 30 */ {GET, NUMBER}, {CONSTANT, 2}, {DIVIDE, 0},
    /* 33 */ {SET, NUMBER}, {JUMP, 12},
    /* 35: the sequence ends */
    {GET, SUM}, {GET, LENGTH}, {ADD, 0}, {SET, SUM},
    /* 39 */ {GET, LONGEST}, {GET, LENGTH}, {LESS, 0}, {JUMP_UNLESS, 0},
    /* 43 */ {GET, LENGTH}, {SET, LONGEST}, {GET, START}, {SET, BEST},
    /* 47 */ {JUMP, 0},
    /* 48: the end */
    {GET, BEST}, {PRINT, 0},
    /* 50 */ {GET, SUM}, {REAL_OF, 0}, {GET, LIMIT}, {DIVIDE, 0},
    /* 54 */ {PRINT, 0}, {STOP, 0},
};
/* clang-format on */

int main(int argc, char **argv)
{
	long limit = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
	struct machine m = {0};

	for (int i = 0; i < VARIABLES; i++)
		m.variables[i] = (struct value){.kind = INTEGER};
	m.variables[LIMIT].integer = limit;
	run(&m, program);
	free(m.stack);
	return 0;
}
