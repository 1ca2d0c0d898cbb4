"""The texts of a profile database as they were before db_text (db/base/sql.h) escaped them."""

import re


def decoded(text):
    """A str; bytes that are not UTF-8 are surrogates, as with surrogateescape."""
    whole = re.sub(rb"\\(\\|x[0-9a-f]{2})",
                   lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1][1:], 16)]), text.encode())
    return whole.decode("utf-8", "surrogateescape")
