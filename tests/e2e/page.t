#!/bin/bash
# The page of hpcprof html: the unit tests of its modules, and its tests in a browser.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/node.sh"

# ---- units --------------------------------------------------------------------------
for file in "$top"/tests/page/*.test.mjs; do
	[ -e "$file" ] || continue
	name=${file##*/}
	taps "${name%.test.mjs}" 120 "$node" --test-reporter=tap "$file"
done

# ---- in a browser -------------------------------------------------------------------
# One for all of them, as it takes longer to start than some of them run.
if [ -x "$(command -v chromedriver)" ]; then
	coproc sharing { "$node" "$top/tests/page/lib/share.mjs"; }
	exec {hold}>&"${sharing[1]}"
	IFS= read -r HPCTEST_BROWSER <&"${sharing[0]}" && export HPCTEST_BROWSER ||
		not_ok "a browser starts" "see the tests below"
fi
for file in "$top"/tests/page/*.browser.mjs; do
	name=${file##*/}
	name=${name%.browser.mjs}
	# These are given profiles: see page-values.t and diff-page.t. That of the tests' own driver
	# is in tests/soak/page-whole.t.
	case $name in values | compare | driver) continue ;; esac
	taps "$name" 400 "$node" "$file"
done
[ -z "${hold-}" ] || exec {hold}>&-

done_testing
