"""clean.py FILE...: print where the files have bytes that are not UTF-8, or characters that a terminal
obeys or that change how the text around them is shown. A newline may be there; of a page, a tab, too.
Of a file .pb.gz of pprof, the strings are looked at."""
import gzip
import sys
import unicodedata


def pprof_strings(data):
    """The string table: field 6 of the message."""
    def varint(at):
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value, at
    at = 0
    while at < len(data):
        key, at = varint(at)
        length, at = varint(at)
        if key & 7 == 0:
            continue
        assert key & 7 == 2, "a field of type %d" % (key & 7)
        if key >> 3 == 6:
            yield data[at:at + length]
        at += length


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
        parts = list(pprof_strings(gzip.decompress(data)))
        assert parts
        ok &= all([look(path, part, "") for part in parts])
    else:
        ok &= look(path, data, "\n\t" if path.endswith(".html") else "\n")
sys.exit(not ok)
