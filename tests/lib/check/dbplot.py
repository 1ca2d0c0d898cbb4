"""dbplot.py DATABASE PNG: make the plot of README.md, and check that it is visible: the bars are as
long as the load modules' values, and the image has as many pixels of their colour."""

import os
import sqlite3
import sys

os.environ["MPLCONFIGDIR"] = os.path.abspath("matplotlib")
import matplotlib  # noqa: E402
matplotlib.use("Agg")
import matplotlib.image  # noqa: E402
import pandas  # noqa: E402


def main(database, png):
    t = pandas.read_sql("SELECT module, self FROM modules", sqlite3.connect(database))
    t = t[t.self > 0].head(8)
    plot = t.plot.barh(x="module", y="self")
    plot.figure.tight_layout()
    plot.figure.savefig(png)
    assert [int(bar.get_width()) for bar in plot.patches] == list(t.self), "bars are not the values"
    assert [label.get_text() for label in plot.get_yticklabels()] == list(t.module), "names are missing"
    image = matplotlib.image.imread(png)[:, :, :3]
    colour = plot.patches[0].get_facecolor()[:3]
    painted = (abs(image - colour).max(axis=2) < 0.02).sum()
    # the axis, in pixels: bar / axis = value / end of the axis
    box = plot.get_window_extent()
    shares = sum(bar.get_width() for bar in plot.patches) / plot.get_xlim()[1]
    height = plot.patches[0].get_height() / (plot.get_ylim()[1] - plot.get_ylim()[0])
    due = box.width * box.height * height * shares
    assert 0.9 * due < painted < 1.3 * due + 2000, (painted, due)
    print("%d of %d pixels are bars of %d load modules" % (painted, image.shape[0] * image.shape[1], len(t)))


if __name__ == "__main__":
    main(*sys.argv[1:])
