#!/bin/bash
# Foreign programs are attached to and detached from 100 times each: they go on as if alone.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/zoo.sh"

[ "$(uname -m)" = x86_64 ] || skip_all 'attach is for x86-64'
rounds=${ROUNDS:-100}

# often NAME: run after run, until there were enough rounds.
often() {
	local name=$1 done=0 run=0 bad=0 different=
	zoo_begin "$name" || return
	while [ "$done" -lt "$rounds" ] && [ "$run" -lt "$rounds" ]; do
		run=$((run + 1))
		"$python" "$top/tests/lib/check/attach_often.py" "$hpcrun" "$PWD/data" \
			$((rounds - done)) measured "$zoo/$name" run >rounds
		done=$((done + $(head -1 rounds)))
		sed 1d rounds >>cannot
		different=$(zoo_same alone measured) || bad=$((bad + 1))
		[ -z "$different" ] || printf '%s\n' "$different" >>differences
	done
	is "$name: $done times, what it prints, and its status, of $run runs" "$bad" 0
	[ ! -s differences ] || note "$(head -20 differences)"
	is "$name: it was possible $rounds times" "$done" "$rounds"
	[ ! -s cannot ] || note "$(sort cannot | uniq -c | sort -rn | head -5)"
	check "$name: the accounts add up" lib account.py data
	is "$name: no store stays" "$(find data -name '*.stores')" ''
	cd "$scratch" && rm -rf "${scratch:?}/$name"
}

for name in ${ZOO:-bash perl python3 ruby node java sqlite redis nginx openmp threads-and-signals postgresql}; do
	often "$name"
done
done_testing
