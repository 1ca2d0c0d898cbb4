"""clean.py FILE...: print where the files have bytes that are not UTF-8, or characters that a terminal
obeys or that change how the text around them is shown. A newline may be there; of a page, a tab, too.
Of a file .pb.gz of pprof, the strings are looked at."""
import gzip
import sys
import unicodedata

import exported


def harmful(c):
    return (unicodedata.category(c) in ("Cc", "Zl", "Zp", "Cs")
            or c in "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


def look(name, data, allowed):
    text = data.decode("utf-8", "surrogateescape")
    for i, c in enumerate(text):
        if c not in allowed and harmful(c):
            print("%s: U+%04X in %a" % (name, ord(c), text[max(0, i - 30):i + 30]))
            return False
    return True


ok = True
for path in sys.argv[1:]:
    data = open(path, "rb").read()
    if path.endswith(".pb.gz"):
        parts = exported.message(gzip.decompress(data))[6]  # string_table
        assert parts
        ok &= all([look(path, part, "") for part in parts])
    else:
        ok &= look(path, data, "\n\t" if path.endswith(".html") else "\n")
sys.exit(not ok)
