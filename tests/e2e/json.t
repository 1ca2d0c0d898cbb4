#!/bin/bash
# --json of the views: JSON, exact, bounded. Its members are in tests/data/outputs/json.txt.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

# agrees DIR [FUNCTION]: the JSON of all views has what a database of DIR has.
agrees() {
	[ -e "$1.db" ] || "$hpcprof" db -q -o "$1.db" "$1" || return 1
	lib viewjson.py "$hpcprof" "$1" "$1.db" "${@:2}"
}

# ---- real programs ----------------------------------------------------------------
for i in $(seq 300); do
	echo "int f$i(int a) { int s = 0; for (int i = 0; i < a; i++) s += i * $i ^ s; return s; }"
done >big.c
"$hpcrun" -q -o gcc gcc -O2 -g -c big.c
check "gcc with its children agrees with the database" agrees gcc ggc_internal_alloc
check "and so does what is read back from it" lib viewjson.py "$hpcprof" gcc.db gcc.db
"$hpcrun" -q -e CPUTIME -o cxx "$(program cxx)" >out 2>&1
check "C++ with inlined functions, too" agrees cxx main
"$hpcrun" -q -o threads "$(program threads8)" >out 2>&1
check "threads" agrees threads
"$hpcprof" --json -q --threads -n 1 threads >json
check "are rows" "$python" -c 'import json
t = json.load(open("json"))
assert len(t["threads"]["rows"]) == 1 and t["threads"]["left_out"]["rows"] >= 1, t["threads"]
rows, left = t["threads"]["rows"], t["threads"]["left_out"]
assert rows[0]["self"][0] + left["self"][0] == t["metrics"][0]["total"], t["threads"]'
"$hpcprof" --json -q --processes -n 1 gcc >json
check "processes are cut as well" "$python" -c 'import json
t = json.load(open("json"))
rows, left = t["processes"]["rows"], t["processes"]["left_out"]
assert len(rows) == 1 and left["rows"] == t["run"]["images"] - 1 > 0, t["processes"]
assert rows[0]["self"][0] + left["self"][0] == t["metrics"][0]["total"], t["processes"]'
account='import json, sys
for m in json.load(open("json"))["metrics"]:
    a = {r["outcome"]: r["events"] for r in m["account"]}
    assert a["recorded"] + a.get("partial", 0) == m["total"], m'
check "the account has the total" "$python" -c "$account"
"$hpcprof" --json -q --focus main cxx >json
check "chosen paths have a sum" "$python" -c 'import json
t = json.load(open("json"))
f = t["functions"]
assert t["paths"]["total"][0] == sum(r["self"][0] for r in f["rows"]) + f["left_out"]["self"][0], t["paths"]
assert 0 < t["paths"]["total"][0] <= t["metrics"][0]["total"]'
"$hpcrun" -q -o none true
for view in text tree; do
	check "$view of hardly anything is JSON" bash -c '"$1" "$2" --json -q none | "$3" -m json.tool' - \
		"$hpcprof" "$view" "$python"
done

# ---- names ------------------------------------------------------------------------
cat >evil.c <<'END'
volatile unsigned long sink;
#define WORK(name) __attribute__((noinline)) void name(void)                                   \
	{ for (long i = 0; i < 20000000; i++) sink = sink * 3 + 1; }
WORK(e1) WORK(e2) WORK(e3) WORK(e4) WORK(e5)
int main(void) { e1(); e2(); e3(); e4(); e5(); return 0; }
END
names=('"quoted" and \' $'a\x01\x1b[31m\tb\x7f' $'\xff\xfe\xc3' $'na\xc3\xafve' '\u0041</script>')
cc -O1 -o plain evil.c
renames=()
for i in "${!names[@]}"; do
	renames+=(--redefine-sym "e$((i + 1))=${names[$i]}")
done
folder=$'d "q" \x02\xfe \\'
mkdir "$folder"
objcopy "${renames[@]}" plain "$folder/pro\"gram"
"$hpcrun" -q -o evil "$folder/pro\"gram"
check "evil names agree with the database" agrees evil
"$hpcprof" --json -q -n 0 evil >json
check "and are as they were, but for what is not UTF-8" "$python" -c 'import json, os, sys
found = {r["function"] for r in json.load(open("json"))["functions"]["rows"]}
for name in sys.argv[1:]:
    text = "".join("\ufffd" if "\udc80" <= c <= "\udcff" else c for c in name)
    assert text in found, (text, found)' "${names[@]}"
check "standard output that is full is told" bash -c '"$1" --json -q evil >/dev/full; [ $? = 1 ]' - "$hpcprof"
done_testing
