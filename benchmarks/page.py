# SPDX-License-Identifier: Apache-2.0
"""Puts the tables of a run's JSON into docs/performance.md, between the comments that name the machine.

    python benchmarks/page.py here build/bench/bench.json --heading "A quiet machine"
"""

import argparse
import json
from pathlib import Path

import report

PAGE = Path(__file__).resolve().parents[1] / "docs" / "performance.md"
CALLS = ["call", "of the floor", "by instructions", "of cuda.bindings", "floor ns", "cuda.bindings ns",
         "ours ns (10-90 %)", "verdict"]


def table(head, rows):
    """A Markdown table; all columns but the first and the last are numbers."""
    rule = ["---", *["---:"] * (len(head) - 2), "---"]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *rows)) + "\n"


def figure(value, form=".2f"):
    """A number, or nothing."""
    return format(value, form) if value is not None else ""


def call_cells(row):
    """A row of calls."""
    ratios, times = row.get("ratios", {}), row.get("ns", {})
    ours = times.get("ours")
    return [row["title"], figure(ratios.get("ours/floor")), figure(row.get("instructions", {}).get("ratio")),
            figure(ratios.get("ours/peer")), *(figure(times[name]["median"], ",.0f") if name in times else ""
                                               for name in ("floor", "peer")),
            f"{ours['median']:,.0f} ({ours['low']:,.0f}-{ours['high']:,.0f})" if ours else "", report.verdict(row)]


def other_cells(row):
    """A row of anything else."""
    ratios = ", ".join(f"{name} {value:.3f}" for name, value in row.get("ratios", {}).items())
    return [row["title"], ratios, row["figures"], report.verdict(row)]


def budget_cells(row):
    """A part of a call."""
    return [row["part"], figure(row["ns"], ".1f"), figure(row["instructions"], ".0f"), row["what"]]


def tables(found):
    """All of a run, with the machine that it ran on."""
    calls = [row for row in found["rows"] if "figures" not in row]
    others = [row for row in found["rows"] if "figures" in row]
    floor = [[title, f"{ratio:.2f}", f"at most {limit}"] for title, ratio, limit in found["floor"]]
    left_out = {name: why for row in others for name, why in row.get("left_out", {}).items()}
    parts = [f"Python {found['python']}, cuda.bindings {found['peer']}; {', '.join(found['machine'].values())}. "
             f"{report.summary(found['rows'])}.\n", table(CALLS, map(call_cells, calls)),
             table(["the floor itself", "of cuda.bindings", ""], floor) if floor else "",
             table(["beside calls", "ratio", "figures", "verdict"], map(other_cells, others)) if others else "",
             "".join(f"No {name} column: `{why}`\n" for name, why in left_out.items()),
             table(["what a call costs", "ns", "instructions", ""], map(budget_cells, found["budget"]))
             if found.get("budget") else ""]
    return "\n".join(filter(None, parts))


def put(page, name, text):
    """The page with the text between the comments of that name."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"the page has no place named {name!r}")
    return f"{before}{begin}{text}{end}{after}"


def heading(options):
    """What stands above the tables."""
    return f"\n## {options.heading}\n\n" + (options.text + "\n\n" if options.text else "")


def main():
    """Rewrites the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="the place's name in the page")
    parser.add_argument("json", type=Path)
    parser.add_argument("--heading", required=True, help="what kind of machine it is")
    parser.add_argument("--text", default="", help="a sentence below the heading")
    options = parser.parse_args()
    text = tables(json.loads(options.json.read_text(encoding="utf-8")))
    page = put(PAGE.read_text(encoding="utf-8"), options.name, heading(options) + text + "\n")
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
