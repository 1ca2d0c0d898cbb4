#!/bin/bash
# Parallel programs: each process knows its rank, with hpcrun inside the launcher or
# around it.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

# ranks DIR PROGRAM: "RANK/RANKS" of its datafiles.
ranks() {
	for file in "$1/$2".*.csp; do
		"$hpcprof" dump "$file" | awk -F'"' '$2 == "rank" { r = $4 } $2 == "ranks" { n = $4 }
			END { print r "/" n }'
	done | sort | tr '\n' ' '
}

# What each launcher leaves in the environment of a process.
env OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=3 "$hpcrun" -q -o openmpi true
is "Open MPI's" "$(ranks openmpi true)" "2/3 "
env PMI_RANK=0 PMI_SIZE=16 "$hpcrun" -q -o mpich true
is "MPICH's" "$(ranks mpich true)" "0/16 "
env SLURM_PROCID=7 SLURM_NTASKS=8 "$hpcrun" -q -o slurm true
is "Slurm's" "$(ranks slurm true)" "7/8 "
env SLURM_PROCID=7 SLURM_NTASKS=8 OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 \
	"$hpcrun" -q -o both true
is "what is nearer to the program counts" "$(ranks both true)" "1/4 "
env OMPI_COMM_WORLD_RANK=x OMPI_COMM_WORLD_SIZE=4 "$hpcrun" -q -o bad true
is "what is no number does not" "$(ranks bad true)" "/ "

if ! command -v mpirun >/dev/null || ! command -v mpicc >/dev/null; then
	skip "a parallel program" "there is no mpirun or no mpicc"
	done_testing
fi
cat >ring.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <time.h>
/* Rank r burns 100 (r + 1) ms; then their sum goes around. */
int main(int argc, char **argv)
{
	int rank, sum, mine;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	mine = 100 * (rank + 1);
	for (clock_t until = clock() + CLOCKS_PER_SEC / 1000 * mine; clock() < until;)
		;
	MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d\n", sum);
	MPI_Finalize();
	return 0;
}
END
check "an MPI program compiles" mpicc -O2 -g -o ring ring.c
mpi=(timeout 120 mpirun --allow-run-as-root --oversubscribe -n 4)
export OMPI_MCA_btl_vader_single_copy_mechanism=none
"${mpi[@]}" ./ring >alone.out 2>alone.err
[ "$(cat alone.out)" = 1000 ] || {
	note "$(head -20 alone.err)"
	skip "mpirun" "it does not run here"
	done_testing
}

"${mpi[@]}" "$hpcrun" -q -o inside ./ring >inside.out 2>inside.err
is "mpirun hpcrun: the program's result" "$? $(cat inside.out)" "0 1000"
is "mpirun hpcrun: a datafile for each rank" "$(ranks inside ring)" "0/4 1/4 2/4 3/4 "
"$hpcrun" -q -o around "${mpi[@]}" ./ring >around.out 2>around.err
is "hpcrun mpirun: the program's result" "$? $(cat around.out)" "0 1000"
is "hpcrun mpirun: a datafile for each rank" "$(ranks around ring)" "0/4 1/4 2/4 3/4 "
is "mpirun and its four forks have none" "$(ranks around orterun)" "/ / / / / "
check "the accounts add up" lib account.py inside around
done_testing
