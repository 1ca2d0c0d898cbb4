#!/bin/bash
# Programs that fault, and programs in which our handler does: each sees what it sees alone,
# and its account holds.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/living.sh"

faulting=$(program faulting)

lives 0 "its own faults" "$faulting" faults
all_of_it "its own faults"
lives 139 "dying of a fault" "$faulting" dies
part_of_it "dying of a fault"
lives 139 "killed by SIGSEGV" "$faulting" killed
lives 139 "a fault while SIGSEGV is ignored" "$faulting" dies_ignoring

mixed=$(program mixed)
"$mixed" code32 50 >/dev/null
status=$?
if [ $status = 77 ] || [ $status = 139 ]; then # also alone it dies where the kernel has none
	skip "32-bit code in a 64-bit process" "the kernel has none"
else
	lives 0 "32-bit code in a 64-bit process" "$mixed" code32
	all_of_it "32-bit code in a 64-bit process"
fi
if LD_SHOW_AUXV=1 /bin/true | grep -q '^AT_HWCAP2:.*[2367abef]$'; then
	lives 0 "64-bit code with another base of FS" "$mixed" base
	all_of_it "64-bit code with another base of FS"
else
	skip "64-bit code with another base of FS" "the base cannot be read here"
fi
rate=CPUTIME@f1000 lives 0 "a signal's frame that leads to itself" "$mixed" loop
all_of_it "a signal's frame that leads to itself"
at_least "a signal's frame that leads to itself: its samples are partial" partial 150
check "and short" sh -c "'$hpcprof' dump data/mixed.* | grep -Eq 'num_nodes [0-9]{1,3} '"

hpcrun=$BUILD/faulty/bin/hpcrun
for by in segv bus lockedsegv lockedbus; do
	for at in 1 40 400; do
		lives 0 "our handler faults ($by, walk $at)" env FAULT_AT=$at FAULT_BY=$by "$faulting" crew
		all_of_it "our handler faults ($by, walk $at)"
		is "that is said" "$(grep -c 'hpcrun: .*fault in the sampling handler' said)" 1
		check "one sample is lost, its thread is not measured on, the others are" \
			lib faulted.py data/faulting.*.csp
	done
done
lives 0 "our handler faults, and the program does" env FAULT_AT=100 FAULT_BY=segv "$faulting" faults
all_of_it "our handler faults, and the program does"
done_testing
