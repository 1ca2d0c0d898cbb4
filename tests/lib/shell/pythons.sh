# Sourced after measure.sh by the tests of Python's frames.

# pythons: the system's interpreter and those of PYTHONS, of versions whose frames are known, one of each:
# a version and a path per line. every_python: and all others that are here. What a version manager puts into PATH is a
# script; the interpreter is what it says of itself.
every_python() {
	local others
	others=$(
		compgen -c python3. | grep -xE 'python3\.([89]|1[0-3])' | sort -u
		if command -v pyenv >/dev/null; then
			ls -d "$(pyenv root)"/versions/3.*/bin/python3
		fi)
	PYTHONS="${PYTHONS:-} $others" pythons
}
pythons() {
	local each all=()
	read -d '' -ra all <<<"${PYTHONS:-}"
	for each in "$python" "${all[@]}"; do
		timeout 20 "$each" -Sc 'import sys
if sys.implementation.name == "cpython" and (3, 8) <= sys.version_info[:2] <= (3, 13):
    print("%d.%d" % sys.version_info[:2], sys.executable)'
	done 2>/dev/null | sort -u -s -t' ' -k1,1 | awk -v first="$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')" '
		$1 == first { print; next } { rest = rest $0 "\n" } END { printf "%s", rest }'
}
