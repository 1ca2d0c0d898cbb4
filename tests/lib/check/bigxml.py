"""Write a PROFILE of about this many megabytes to standard output: the same 8000 statements
repeatedly, each time with a value of 1000.

    bigxml.py MEGABYTES
"""

import sys


def put(text):
    sys.stdout.buffer.write(text.encode())


put('<PROFILE version="3.0"><PROFILEHDR/><PROFILEPARAMS><TARGET name="t"/><METRICS>'
    '<METRIC shortName="0" nativeName="CYC" period="1000"/></METRICS></PROFILEPARAMS>'
    '<PROFILESCOPETREE><PGM n="t"><LM n="/bin/m">\n')
part = "".join(
    '<F n="/src/file%d.c">\n%s</F>\n' % (f, "".join(
        '<P n="function%d" b="%d">\n%s</P>\n' % (p, p * 20, "".join(
            '<S b="%d"><M n="0" v="1000"/></S>\n' % (p * 20 + s) for s in range(20)))
        for p in range(20))) for f in range(20))
for i in range(int(sys.argv[1]) * 1000000 // len(part)):
    put(part)
put('</LM></PGM></PROFILESCOPETREE></PROFILE>\n')
