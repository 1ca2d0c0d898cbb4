#!/usr/bin/env python3
"""Write a CSPROFILE of COUNT call sites and statements with three metrics to stdout: paths of
ten to forty frames through 3000 functions, each of which calls eight others. The same COUNT gives the same file."""
import random
import sys

count = int(sys.argv[1])
random.seed(1)
out = sys.stdout.write
out('<?xml version="1.0"?><CSPROFILE version="1.0.2"><CSPROFILEPARAMS><TARGET name="a.out"/><METRICS>'
    '<METRIC shortName="0" nativeName="CPUTIME" period="1000000" units="ns"/>'
    '<METRIC shortName="1" nativeName="CYCLES" period="2000003" units="count"/>'
    '<METRIC shortName="2" nativeName="MISSES" period="10007" units="count"/>'
    '</METRICS></CSPROFILEPARAMS><CSPROFILETREE><PGM n="a.out">')
functions = [("function_%d" % i, "/source/file_%d.c" % (i % 200)) for i in range(3000)]
used = [set()]
at = [0]
made = 0
while made < count:
    depth = len(used)
    if depth > 1 and (depth > 40 or random.random() < (0.1 if depth < 10 else 0.52)):
        out("</CALLSITE>")
        used.pop()
        at.pop()
        continue
    function = (at[-1] * 7 + random.randrange(8) * 13 + 1) % 3000
    name, file = functions[function]
    line = random.randrange(1, 60)
    key = function, line
    if key in used[-1]:
        continue
    used[-1].add(key)
    used.append(set())
    at.append(function)
    made += 1
    out('<CALLSITE p="%s" f="%s" l="%d">' % (name, file, line))
    if depth == 1 or random.random() < 0.6:
        n = random.randrange(1, 20)
        out('<S p="%s" f="%s" l="%d"><M n="0" v="%d"/><M n="1" v="%d"/><M n="2" v="%d"/></S>'
            % (name, file, line, n * 1000000 + random.randrange(1000), n * 2000003, (n % 7 + 1) * 10007))
out("</CALLSITE>" * (len(used) - 1))
out("</PGM></CSPROFILETREE></CSPROFILE>\n")
