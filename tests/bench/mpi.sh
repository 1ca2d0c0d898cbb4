#!/bin/bash
# What the driver mpi costs a call: two processes send 8 bytes to and fro, so that messages are all they do. Wall
# time a call by medians of RUNS runs (5), beside the samples alone.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

runs=${RUNS:-5}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
cat >pingpong.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	enum { N = 100000 };
	double x = 1, began;
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < N + 1000; i++) {
		if (i == 1000)
			began = MPI_Wtime();
		if (rank == i % 2)
			MPI_Send(&x, 1, MPI_DOUBLE, !rank, 0, MPI_COMM_WORLD);
		else
			MPI_Recv(&x, 1, MPI_DOUBLE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	if (!rank)
		printf("%.0f\n", (MPI_Wtime() - began) / N * 1e9);
	return MPI_Finalize();
}
END
run_as() { # KIND WAY: ns a call
	local before=()
	rm -rf data
	case $2 in
	samples) before=("$hpcrun" -q -o data) ;;
	mpi) before=("$hpcrun" -q --driver mpi -o data) ;;
	nopartners) before=("$hpcrun" -q --driver mpi:nopartners -o data) ;;
	marks) before=("$hpcrun" -q --driver mpi --mark marks -o data) ;;
	esac
	"mpiexec.$1" -n 2 "${before[@]}" ./pingpong 2>/dev/null
}
for kind in openmpi mpich; do
	if ! "mpicc.$kind" -w -O2 -g -o pingpong pingpong.c 2>/dev/null; then
		echo "$kind is not installed"
		continue
	fi
	"$hpcrun" -q -o data true # the cost of samples is measured once
	printf '%-10s%12s\n' $kind 'ns a message'
	for way in alone samples mpi nopartners marks; do
		printf '%-10s%12s\n' $way "$(for _ in $(seq "$runs"); do run_as $kind $way; done | sort -n |
			awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')"
	done
done
