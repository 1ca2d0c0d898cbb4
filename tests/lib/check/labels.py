"""labels.py TEXT-JSON TRUTH: the shares of the labels "request=N" in the table of functions are what the
program says, as exactly as their intervals."""
import json
import sys

view = json.load(open(sys.argv[1]))
truth = {int(n): int(ns) for n, ns in (line.split() for line in open(sys.argv[2]))}
total = sum(truth.values())
metric = next(i for i, m in enumerate(view["metrics"]) if m["name"] == "CPUTIME")
whole = view["metrics"][metric]["total"]
period = view["metrics"][metric]["period"]
rows = {}
for row in view["functions"]["rows"]:
    if row["function"].startswith("[label] request="):
        rows[int(row["function"].split("=")[1])] = (row["total"][metric], row["total_interval"][metric])
measured = sum(events for events, _ in rows.values())
inside = 0
for n, ns in truth.items():
    # without a sample: what has none with a probability of 5% (the rule of three)
    low, high = rows[n][1] if n in rows else (0, 3 * period / total)
    inside += low <= ns / total <= high
large = sum(events for n, (events, _) in rows.items() if n % 4 == 0) / measured
truly = sum(ns for n, ns in truth.items() if n % 4 == 0) / total
print(f"{len(rows)} of {len(truth)} labels, {inside} within their intervals; labels have {measured} of "
      f"{whole} ns; large ones {large:.4f}, truly {truly:.4f}")
# 95% of the intervals should have the truth in them
ok = inside >= 0.93 * len(truth) and measured >= 0.97 * whole and abs(large - truly) < 0.02
sys.exit(not ok)
