# Sourced after measure.sh by the short and the long test of real Python programs.

python_short="tokenize lib2to3 doctest asyncio unittest numpy pandas sympy django meson"
python_all="$python_short testsuite flask pip mercurial sphinx pytest"

# python_NAME: sets the array `command`, and makes its input in the working directory. `needs` is a module or
# a command, and `package` its package.
python_tokenize() {
	command=("$python" -m tokenize "$library/argparse.py")
}
python_lib2to3() {
	needs=lib2to3 package=python3-lib2to3
	command=("$python" -W ignore -m lib2to3 "$library/heapq.py")
}
python_doctest() {
	command=("$python" -m doctest "$library/difflib.py" "$library/statistics.py" "$library/heapq.py")
}
python_asyncio() {
	cat >echo.py <<'EOF'
import asyncio, hashlib
async def serve(reader, writer):
    while data := await reader.readline():
        writer.write(hashlib.sha256(data).hexdigest().encode() + b"\n")
        await writer.drain()
    writer.close()
async def ask(i, port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answers = []
    for j in range(150):
        writer.write(b"%d %d\n" % (i, j))
        answers.append(await reader.readline())
    writer.close()
    return hashlib.sha256(b"".join(answers)).hexdigest()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    for answer in await asyncio.gather(*[ask(i, port) for i in range(20)]):
        print(answer)
    server.close()
asyncio.run(main())
EOF
	command=("$python" echo.py)
}
python_unittest() {
	cat >tests.py <<'EOF'
import ast, csv, decimal, difflib, io, json, pickle, sqlite3, subprocess, sys, threading, unittest, xml.etree.ElementTree as tree
class Tests(unittest.TestCase):
    def test_json(self):
        value = [{"a": [i, str(i), None, i / 3]} for i in range(20000)]
        self.assertEqual(json.loads(json.dumps(value, indent=1)), value)
    def test_pickle(self):
        value = {i: (str(i), [i]) for i in range(50000)}
        self.assertEqual(pickle.loads(pickle._dumps(value)), value)
    def test_ast(self):
        text = open(ast.__file__).read()
        self.assertEqual(ast.dump(ast.parse(ast.unparse(ast.parse(text)))), ast.dump(ast.parse(text)))
    def test_sqlite(self):
        db = sqlite3.connect(":memory:")
        db.create_function("f", 1, lambda x: x * 2)
        db.execute("CREATE TABLE t(x)")
        db.executemany("INSERT INTO t VALUES (?)", ((i,) for i in range(20000)))
        self.assertEqual(db.execute("SELECT sum(f(x)) FROM t").fetchone(), (399980000,))
    def test_xml(self):
        root = tree.Element("r")
        for i in range(5000):
            tree.SubElement(root, "e", n=str(i)).text = "x"
        self.assertEqual(len(tree.fromstring(tree.tostring(root))), 5000)
    def test_decimal(self):
        decimal.getcontext().prec = 2000
        self.assertEqual(str(decimal.Decimal(2).sqrt())[:6], "1.4142")
    def test_threads(self):
        out = []
        threads = [threading.Thread(target=lambda: out.append(sum(i * i for i in range(50000)))) for _ in range(4)]
        for t in threads: t.start()
        for t in threads: t.join()
        self.assertEqual(len(set(out)), 1)
    def test_process(self):
        self.assertEqual(subprocess.run([sys.executable, "-c", "print(sum(range(10**6)))"], capture_output=True).stdout,
                         b"499999500000\n")
    def test_fails(self):
        self.assertEqual(1, 2)
EOF
	command=("$python" -m unittest tests)
}
python_testsuite() {
	needs=test.test_json package=libpython3.11-testsuite
	command=("$python" -m unittest -q test.test_json test.test_generators test.test_re test.test_coroutines test.test_exceptions
		test.test_collections test.test_functools test.test_contextlib test.test_dict test.test_frame)
}
python_numpy() {
	needs=numpy package=python3-numpy
	cat >script.py <<'EOF'
import numpy as np
r = np.random.default_rng(1)
a = r.random((300, 300))
for _ in range(5):
    a = a @ a / np.linalg.norm(a)
print(round(float(np.linalg.eigvalsh(a @ a.T)[-1]), 6), np.apply_along_axis(lambda x: x.sum() > 0, 1, a).sum())
f = np.vectorize(lambda x, y: x * y if x > y else y)
print(round(float(f(r.random(100000), r.random(100000)).sum()), 3), np.fft.fft(np.arange(1000))[1].real.round(3))
EOF
	command=("$python" script.py)
}
python_pandas() {
	needs=pandas package=python3-pandas
	cat >script.py <<'EOF'
import pandas as pd, numpy as np
r = np.random.default_rng(1)
d = pd.DataFrame({"k": r.integers(0, 50, 20000), "v": r.random(20000)})
print(d.groupby("k").v.apply(lambda s: s.max() - s.min()).round(4).head())
print(d.assign(b=d.v.map(lambda x: int(x * 10))).pivot_table(index="b", values="v", aggfunc=["mean", "count"]).round(3))
EOF
	command=("$python" script.py)
}
python_sympy() {
	needs=sympy package=python3-sympy
	command=("$python" -c 'from sympy import *
x, y = symbols("x y")
print(integrate(x**2 * exp(x) * cos(x), x), factor(expand((x + y + 1)**8)), solve(x**3 - 2*x + 1), series(sin(x)/cos(x), x, 0, 9))')
}
python_django() {
	needs=django package=python3-django
	cat >script.py <<'EOF'
import django
from django.conf import settings
settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="x", DATABASES={"default": {"ENGINE":
    "django.db.backends.sqlite3", "NAME": ":memory:"}}, TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}])
django.setup()
from django.db import connection, models
from django.http import HttpResponse
from django.template import engines
from django.urls import path
class Item(models.Model):
    name = models.CharField(max_length=20)
    class Meta:
        app_label = "x"
def view(request, n):
    Item.objects.create(name=str(n))
    text = engines["django"].from_string("{% for i in items %}<li>{{ i.name|upper }} {{ forloop.counter }}{% endfor %}")
    return HttpResponse(text.render({"items": Item.objects.order_by("-id")[:20]}))
urlpatterns = [path("<int:n>/", view)]
from django.test import Client
with connection.schema_editor() as e:
    e.create_model(Item)
client = Client()
print(sum(len(client.get("/%d/" % n).content) for n in range(200)), client.get("/x/").status_code)
EOF
	command=("$python" script.py)
}
python_flask() {
	needs=flask package=python3-flask
	cat >script.py <<'EOF'
from flask import Flask, abort, jsonify, render_template_string, request
app = Flask(__name__)
@app.route("/<int:n>")
def page(n):
    return render_template_string("{% for i in range(n) %}<p>{{ i }} {{ '<&>'|e }}</p>{% endfor %}", n=n)
@app.post("/json")
def post():
    return jsonify(sum(request.json))
@app.route("/fails")
def fails():
    abort(418)
client = app.test_client()
print(sum(len(client.get("/%d" % n).data) for n in range(150)), client.post("/json", json=[1, 2]).json, client.get("/fails").status)
EOF
	command=("$python" script.py)
}
python_pip() {
	needs=pip package=python3-pip
	command=("$python" -m pip list --disable-pip-version-check --no-color --format json)
}
python_mercurial() {
	needs=hg package=mercurial
	cat >hg.sh <<'EOF'
rm -rf repository
export HGRCPATH= HGUSER=x
hg init repository && cd repository || exit 1
for i in 1 2 3; do
	seq $i 500 >file$i
	hg add -q file$i
	hg commit -d "$i 0" -m "commit $i"
done
hg log -p | md5sum
hg diff -r 0 -r 2 --stat
hg nothing
EOF
	command=(sh hg.sh)
}
python_meson() {
	needs=meson package=meson
	mkdir -p project
	printf "project('p', 'c')\nforeach i : [1, 2, 3]\n  executable('p@0@'.format(i), 'p.c')\nendforeach\n" >project/meson.build
	echo 'int main(void) { return 0; }' >project/p.c
	command=(meson introspect --ast project/meson.build)
}
python_sphinx() {
	needs=sphinx package=python3-sphinx
	mkdir -p source
	echo 'project = "p"' >source/conf.py
	{
		printf 'Title\n=====\n\n'
		for i in $(seq 60); do printf '.. function:: f%s(x)\n\n   Text with *emphasis*, `f%s` and ``code``.\n\n   :param x: it\n\n' "$i" "$i"; done
	} >source/index.rst
	command=(sh -c 'rm -rf built; "$0" -m sphinx -q -E -d built/trees -b text source built && cat built/index.txt' "$python")
}
python_pytest() {
	needs=pytest package=python3-pytest
	cat >test_it.py <<'EOF'
import pytest
@pytest.fixture
def numbers():
    return list(range(100))
@pytest.mark.parametrize("n", range(150))
def test_sum(numbers, n):
    assert sum(numbers[:n]) == min(n, 100) * (min(n, 100) - 1) // 2
def test_fails(numbers):
    assert numbers == 1
EOF
	command=(sh -c '"$0" -m pytest -q -p no:cacheprovider test_it.py >out; status=$?; sed "s/ in [0-9.]*s/ in N s/" out; exit $status' "$python")
}

is_there() { # is_there MODULE_OR_COMMAND
	command -v "$1" >/dev/null || "$python" -c "import $1" 2>/dev/null
}

# python_programs RATES NAME...: each, at each rate: what it prints and its status are what they are alone,
# and its paths are complete. Numbers of seconds and addresses in its messages may differ, so only stdout counts.
python_programs() {
	local rates=$1 name rate alone command needs package library
	shift
	library=$("$python" -c 'import os; print(os.path.dirname(os.__file__))')
	for name; do
		needs=os package=python3
		mkdir -p "of-$name"
		cd "of-$name" || return
		"python_$name"
		if ! is_there "$needs"; then
			skip "$name: it prints what it prints alone" "$package is not installed"
			cd ..
			continue
		fi
		timeout 100 "${command[@]}" >../alone.out 2>../alone.err </dev/null
		alone=$?
		for rate in $rates; do
			rm -rf ../data
			timeout 300 "$hpcrun" -q -e "CPUTIME@f$rate" -o ../data "${command[@]}" >../measured.out 2>../measured.err </dev/null
			is "$name, $rate Hz: its status is what it is alone" "$?" "$alone"
			check "$name, $rate Hz: it prints what it prints alone" cmp ../alone.out ../measured.out
			check "$name, $rate Hz: 99% of the paths are complete" lib paths.py --but-own ../data
			check "$name, $rate Hz: the account adds up" lib account.py ../data
			check "$name, $rate Hz: the interpreter's own frames are not shown" not_shown ../data
		done
		cd ..
	done
}
# not_shown DIR: at most a hundredth of the time in native frames that run Python is in one of which it is not known what.
not_shown() {
	"$hpcprof" export -q --format folded -m CPUTIME "$1" | awk '
		/;_PyEval_EvalFrameDefault/ { bad += $NF } { all += $NF }
		END { printf "%.2f%%\n", 100 * bad / all; exit !(all && bad <= 0.01 * all) }'
}
