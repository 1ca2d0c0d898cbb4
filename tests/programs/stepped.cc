/* What bends the stack, for the single-stepping build of the library (tests/stepping):
 *
 *     stepped NAME...
 *
 * prints a line "NAME STEPS COMPARED KNOWN DIFFERENT" for each operation, whose own result is
 * checked; then the status is 1 if one was wrong. Alone, all operations run without being stepped.
 */
#include "stepped_calls.h"
#include "stepped_counts.h"
#include "stepped_leaving.h"
#include "stepped_stacks.h"

#include <dlfcn.h>

namespace
{
/* ---- modules ---- */

/* Bound when it is called first. */
bool plugins()
{
	bool ok = true;
	std::string path = std::string(getenv("STEPPED_PLUGIN") ? getenv("STEPPED_PLUGIN") : "");
	for (int i = 0; i < 2 && !path.empty(); i++) {
		void *handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
		double (*calls)(int) =
		    handle ? reinterpret_cast<double (*)(int)>(dlsym(handle, "plugin_calls"))
			   : nullptr;
		ok &= calls && calls(3) != 0;
		if (handle)
			dlclose(handle);
	}
	return ok;
}

const struct {
	const char *name;
	bool (*run)();
} operations[] = {
    {"recursion", recursion},     {"tail-calls", tail_calls},
    {"same-size", same_size},     {"sizes", sizes},
    {"saved-sizes", saved_sizes}, {"library", library},
    {"exceptions", exceptions},   {"jumps", jumps},
    {"traces", traces<24>},       {"handlers", handlers},
    {"coroutines", coroutines},   {"coroutines-within", coroutines_within},
    {"plugins", plugins},         {"foreign", foreign},
    {"none-out", none_out},       {"threads", threads},
    {"processes", processes},     {"processes-within", processes_within},
    {"many-jumps", many_jumps},   {"guesses", guesses},
    {"pushes", pushes},           {"stacks-above", stacks_above},
    {"activations", activations}, {"records", records},
    {"generated", generated},     {"rethrown", rethrown},
    {"whole-traces", traces<64>},
};

/* On a stack that is deep already, and not. */
APART bool at_depth(unsigned depth, bool (*run)())
{
	char room[32];
	asm volatile("" : : "r"(room) : "memory");
	bool ok = depth ? at_depth(depth - 1, run) : run();
	after();
	return ok;
}
} // namespace

int main(int argc, char **argv)
{
	bool all = true;
	dl_iterate_phdr(find_library, nullptr);
	for (const auto &o : operations) {
		bool chosen = argc < 2;
		for (int i = 1; i < argc; i++)
			chosen |= strcmp(argv[i], o.name) == 0;
		if (!chosen)
			continue;
		struct stepping_counts counts = {0, 0, 0, 0};
		bool ok = at_depth(20, o.run); /* what is bound and allocated once */
		if (stepping_begin) {
			in_step = true;
			stepping_begin();
			ok &= o.run();
			ok &= at_depth(40, o.run);
			ok &= at_depth(3, o.run);
			counts = stepping_end();
			in_step = false;
		}
		printf("%s %lu %lu %lu %lu%s\n", o.name, counts.steps, counts.compared,
		       counts.known, counts.different, ok ? "" : " wrong");
		all &= ok;
	}
	return !all;
}
