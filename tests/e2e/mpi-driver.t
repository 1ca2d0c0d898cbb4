#!/bin/bash
# The driver mpi (hpcrun --driver mpi): calls and bytes are exact, in each process, function and with each
# partner, with Open MPI and MPICH, of C and Fortran, and programs run as if alone.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

data=$top/tests/data/mpi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_vader_single_copy_mechanism=emulated OMPI_MCA_rmaps_base_oversubscribe=1

two() { # two OUTPUT COMMAND...: on two processes
	timeout 120 "mpiexec.$kind" -n 2 "${@:2}" >"$1" 2>"$1.err" </dev/null
}
measured() { # measured NAME OPTIONS COMMAND...
	rm -rf "of-$1"
	# shellcheck disable=SC2086
	two "$1.truth" "$hpcrun" -q --driver mpi $2 -o "of-$1" "${@:3}"
	is "$1: it ends as alone" "$? $(head -3 "$1.truth.err")" "0 "
	check "$1: calls and bytes are exact" lib mpi.py "$hpcprof" "of-$1" "$1.truth"
}
# what it has sent and received: how often it asks depends on time
without_calls() {
	cut -d' ' -f1-3,5- "$1"
}

cat >host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
/* Where nothing else sees MPI's functions. */
int main(int argc, char **argv)
{
	void *library = dlopen("./truth.so", RTLD_NOW | RTLD_LOCAL);
	int (*run)(int, char **) = NULL;
	if (library)
		*(void **)&run = dlsym(library, "main");
	if (!run)
		puts(dlerror());
	return run ? run(argc, argv) : 1;
}
END
gcc -g -o host host.c -ldl

for kind in openmpi mpich; do
	if ! command -v "mpicc.$kind" >/dev/null || ! command -v "mpiexec.$kind" >/dev/null; then
		skip "$kind" "it is not installed"
		continue
	fi
	# false warnings of some headers of MPI
	check "$kind: a program compiles" "mpicc.$kind" -w -O1 -g -pthread -o "truth-$kind" "$data/truth.c"
	two "alone-$kind" "./truth-$kind"
	if [ ! -s "alone-$kind" ]; then
		note "$(head -20 "alone-$kind.err")"
		skip "$kind" "it does not run here"
		continue
	fi
	measured "$kind" '' "./truth-$kind"
	check "$kind: it does the same alone" cmp <(without_calls "alone-$kind") <(without_calls "$kind.truth")
	for form in mpi mpi_f08; do
		flag=
		[ $form = mpi ] || flag=-DF08
		# shellcheck disable=SC2086
		if ! "mpif90.$kind" -cpp $flag -w -O1 -g -o "fortran-$kind" "$data/truth.f90" 2>said; then
			skip "$kind: Fortran, module $form" "it does not compile: $(head -1 said)"
			continue
		fi
		measured "$kind-fortran-$form" '' "./fortran-$kind"
	done
	"mpicc.$kind" -w -O1 -g -pthread -shared -fPIC -o truth.so "$data/truth.c"
	measured "$kind-dlopen" '--driver io' ./host
done
[ -x truth-mpich ] || done_testing
kind=mpich

# ---- other ways to measure ----------------------------------------------------------------
for options in '--mark whole' '--values 8' '--unwinder libunwind' '-t all'; do
	measured "options" "$options" ./truth-mpich
done
two truth "$hpcrun" -q --driver mpi:nopartners -o nopartners ./truth-mpich
check "nopartners: the same, but without labels" lib mpi.py "$hpcprof" nopartners truth without
if lib mpi.py "$hpcprof" nopartners truth >said; then
	not_ok "which the test sees"
else
	ok "which the test sees"
fi
timeout 20 "$hpcrun" --driver mpi:partners true 2>said
is "other options it has none" "$? $(cat said)" "125 hpcrun: --driver 'mpi:partners': its option is nopartners"

# ---- what is shown ------------------------------------------------------------------------
# seen: the functions of MPI with calls under one of ours, by their calls
seen() {
	"$hpcprof" export -q --format folded -m MPI_CALLS "$1" | grep ";$2" | sed 's/.*;//' | sort
}
is "calls stand under their functions" "$(seen of-mpich with_gaps)" "MPI_Recv 1
MPI_Send 1"
"$hpcprof" --functions -q -m MPI_TIME of-mpich >text
check "their time is a metric" says text ' MPI_Init_thread +libhpcrun-mpi.so'
"$hpcprof" db -q -o mpi.db of-mpich
is "in the database, too" "$(sqlite3 mpi.db 'select count(*) from metric where name = "MPI_SENT"')" 1

# ---- a program that has MPI's names without it ----------------------------------------------
cat >weak.c <<'END'
#include <stdio.h>
int MPI_Comm_size(int, int *) __attribute__((weak));
int MPI_Barrier(int) __attribute__((weak));
int main(void)
{
	printf("%d\n", MPI_Comm_size ? MPI_Barrier(0) : 0);
	return MPI_Barrier && MPI_Barrier(0) == 0;
}
END
gcc -o weak weak.c
is "a program without MPI runs" "$("$hpcrun" -q --driver mpi -o weak-data ./weak; echo $?)" "0
0"

# ---- a library of another kind ----------------------------------------------------------------
cat >strange.c <<'END'
#include <stdio.h>
int MPI_Init(int *argc, char ***argv) { return argc || argv; }
int MPI_Send(const void *at, int n, int type, int to, int tag, int comm) { return type != 7 || !at || n + to + tag + comm != 10; }
int PMPI_Get_library_version(char *text, int *length) { *length = sprintf(text, "Strange MPI 1"); return 0; }
END
cat >user.c <<'END'
int MPI_Init(int *, char ***);
int MPI_Send(const void *, int, int, int, int, int);
int main(int argc, char **argv)
{
	(void)argc;
	return MPI_Init(0, 0) || MPI_Send(argv, 1, 7, 2, 3, 4);
}
END
gcc -shared -fPIC -o libstrange.so strange.c && gcc -g -o user user.c ./libstrange.so
is "another library works" "$("$hpcrun" -q --driver mpi -o strange ./user 2>&1; echo $?)" \
	"hpcrun: mpi: this library of MPI is not known: only calls and time are recorded
0"
is "its calls are counted" "$(seen strange main)" "MPI_Init 1
MPI_Send 1"
done_testing
