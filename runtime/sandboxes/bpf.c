#include "runtime/sandboxes/bpf.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct bpf_machine {
	uint32_t a, x;
	uint32_t memory[BPF_MEMWORDS];
};

static bool load_word(const struct seccomp_data *call, uint32_t offset, uint32_t *to)
{
	if (offset % sizeof *to != 0 || offset > sizeof *call - sizeof *to)
		return false;
	memcpy(to, (const char *)call + offset, sizeof *to);
	return true;
}

/* A and X are loaded in the same way, except that X cannot be loaded from the call. */
static bool load(struct bpf_machine *m, const struct sock_filter *i,
		 const struct seccomp_data *call)
{
	uint32_t *to = BPF_CLASS(i->code) == BPF_LD ? &m->a : &m->x;
	switch (i->code) {
	case BPF_LD | BPF_W | BPF_ABS:
		return load_word(call, i->k, to);
	case BPF_LD | BPF_W | BPF_LEN:
	case BPF_LDX | BPF_W | BPF_LEN:
		*to = sizeof *call;
		return true;
	case BPF_LD | BPF_IMM:
	case BPF_LDX | BPF_IMM:
		*to = i->k;
		return true;
	case BPF_LD | BPF_MEM:
	case BPF_LDX | BPF_MEM:
		if (i->k >= BPF_MEMWORDS)
			return false;
		*to = m->memory[i->k];
		return true;
	}
	return false;
}

static bool store(struct bpf_machine *m, const struct sock_filter *i)
{
	if ((i->code != BPF_ST && i->code != BPF_STX) || i->k >= BPF_MEMWORDS)
		return false;
	m->memory[i->k] = i->code == BPF_ST ? m->a : m->x;
	return true;
}

/* A division by 0 in X ends the program with the result 0; then *divided is false. */
static bool calculate(struct bpf_machine *m, const struct sock_filter *i, bool *divided)
{
	uint32_t v = BPF_SRC(i->code) == BPF_X ? m->x : i->k;
	switch (BPF_OP(i->code)) {
	case BPF_ADD:
		m->a += v;
		return true;
	case BPF_SUB:
		m->a -= v;
		return true;
	case BPF_MUL:
		m->a *= v;
		return true;
	case BPF_DIV:
		*divided = v != 0;
		m->a = v ? m->a / v : 0;
		return v != 0 || BPF_SRC(i->code) == BPF_X;
	case BPF_AND:
		m->a &= v;
		return true;
	case BPF_OR:
		m->a |= v;
		return true;
	case BPF_XOR:
		m->a ^= v;
		return true;
	case BPF_LSH:
		m->a <<= v & 31;
		return true;
	case BPF_RSH:
		m->a >>= v & 31;
		return true;
	case BPF_NEG:
		m->a = -m->a;
		return true;
	}
	return false;
}

/* *by is the length of the jump. False if there is no such instruction. */
static bool jump(const struct bpf_machine *m, const struct sock_filter *i, uint32_t *by)
{
	uint32_t v = BPF_SRC(i->code) == BPF_X ? m->x : i->k;
	bool yes;
	switch (BPF_OP(i->code)) {
	case BPF_JA:
		*by = i->k;
		return true;
	case BPF_JEQ:
		yes = m->a == v;
		break;
	case BPF_JGT:
		yes = m->a > v;
		break;
	case BPF_JGE:
		yes = m->a >= v;
		break;
	case BPF_JSET:
		yes = (m->a & v) != 0;
		break;
	default:
		return false;
	}
	*by = yes ? i->jt : i->jf;
	return true;
}

static bool transfer(struct bpf_machine *m, const struct sock_filter *i)
{
	if (i->code == (BPF_MISC | BPF_TAX))
		m->x = m->a;
	else if (i->code == (BPF_MISC | BPF_TXA))
		m->a = m->x;
	else
		return false;
	return true;
}

/* Execute instruction *at, which is not a return, and set *at to the next one. False if there is
 * no such instruction. */
static bool step(struct bpf_machine *m, const struct sock_filter *program, uint32_t n, uint32_t *at,
		 const struct seccomp_data *call, bool *divided)
{
	const struct sock_filter *i = &program[(*at)++];
	uint32_t by = 0;
	bool known = false;
	switch (BPF_CLASS(i->code)) {
	case BPF_LD:
	case BPF_LDX:
		known = load(m, i, call);
		break;
	case BPF_ST:
	case BPF_STX:
		known = store(m, i);
		break;
	case BPF_ALU:
		known = calculate(m, i, divided);
		break;
	case BPF_JMP:
		known = jump(m, i, &by) && by < n - *at;
		*at += by;
		break;
	case BPF_MISC:
		known = transfer(m, i);
		break;
	}
	return known;
}

uint32_t csprof_bpf_run(const struct sock_filter *program, uint32_t n,
			const struct seccomp_data *call)
{
	struct bpf_machine m = {0};
	bool divided = true;
	/* jumps only go forward, so n steps are enough */
	for (uint32_t at = 0; at < n;) {
		const struct sock_filter *i = &program[at];
		if (i->code == (BPF_RET | BPF_K))
			return i->k;
		if (i->code == (BPF_RET | BPF_A))
			return m.a;
		if (!step(&m, program, n, &at, call, &divided))
			break;
		if (!divided)
			return SECCOMP_RET_KILL_THREAD; /* 0 */
	}
	return SECCOMP_RET_KILL_PROCESS;
}
