"""dbpandas.py TABLES DATABASE: read the tables as CSV with pandas, an independent reader; check that
all are those of the database, and that functions by load module are the same."""

import os
import sqlite3
import sys

import pandas


def plain(value):
    """Numbers that are texts in the database are numbers in CSV; "" and NULL are empty."""
    if pandas.isna(value) or value == "":
        return None
    try:
        return float(value)
    except ValueError:
        return value


def main(folder, database):
    db = sqlite3.connect(database)
    for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"):
        got = pandas.read_csv(os.path.join(folder, table + ".csv"))
        want = pandas.read_sql('SELECT * FROM "%s"' % table, db)
        assert list(got.columns) == list(want.columns), table
        assert len(got) == len(want), table
        for column in got.columns:
            assert list(map(plain, got[column])) == list(map(plain, want[column])), (table, column)
        print("%s: %d rows" % (table, len(got)))
    read = {t: pandas.read_csv(os.path.join(folder, t + ".csv")) for t in ("function", "module", "function_value")}
    joined = read["function_value"].merge(read["function"], left_on="function", right_on="id") \
        .merge(read["module"], left_on="module", right_on="id")
    got = joined.groupby("base").exclusive_events.sum().to_dict()
    want = dict(db.execute("SELECT o.base, sum(v.exclusive_events) FROM function_value v JOIN function f ON "
                           "f.id = v.function JOIN module o ON o.id = f.module GROUP BY o.base"))
    assert got == want, (got, want)


if __name__ == "__main__":
    main(*sys.argv[1:])
