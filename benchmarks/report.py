# SPDX-License-Identifier: Apache-2.0
"""Judges rows against targets.toml and prints them: ratios first."""

import json
from pathlib import Path

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

import measure

TARGETS = Path(__file__).resolve().parent / "targets.toml"
HEAD = f"{'':50}{'ours/floor':>11}{'instr.':>8}{'ours/peer':>10}{'floor/peer':>11}{'floor ns':>10}{'peer ns':>10}" \
       f"{'ours ns (10-90 %)':>24}  verdict"


def load_targets(path=TARGETS):
    """The targets as data."""
    return tomllib.loads(Path(path).read_text(encoding="utf-8"))


def judge(row, targets):
    """("met" | "MISSED" | "DIFFERENT" | "-", what is missed or missing) of one row with ratios."""
    if "different" in row:
        return "DIFFERENT", row["different"]
    target = targets["targets"].get(row.get("target"))
    if target is None:
        return "-", ""
    if lacks_ours(row):
        return "MISSED", "there is none"
    ratios = row.get("ratios", {})
    reasons, how = [], ""
    if "floor" in target and "ours/floor" in ratios:
        by_count = row.get("instructions", {}).get("ratio")
        counted = by_count is not None and round(by_count + targets["by_instructions"], 4) <= target["floor"]
        if ratios["ours/floor"] > target["floor"] and not counted:
            reasons.append(f"floor {ratios['ours/floor']:.2f} > {target['floor']:.2f}")
        how = "by instructions" if ratios["ours/floor"] > target["floor"] else ""
    for name in ("peer", "twin"):
        if name in target and f"ours/{name}" in ratios and ratios[f"ours/{name}"] > target[name]:
            reasons.append(f"{name} {ratios[f'ours/{name}']:.2f} > {target[name]:.2f}")
    if "within" in target and abs(ratios["ours/twin"] - 1) > target["within"]:
        reasons.append(f"twin {ratios['ours/twin']:.3f} is not 1 +- {target['within']}")
    if "most" in target and row["value"] > target["most"]:
        reasons.append(f"{row['value']:.2f} > {target['most']} {target['unit']}")
    if "extra_ns" in target:
        how = f"{row['extra_ns']:+.0f} ns"
    if "extra_ns" in target and row["extra_ns"] > target["extra_ns"]:
        reasons.append(f"{row['extra_ns']:+.0f} ns > {target['extra_ns']} ns over the launch without arguments")
    judged = [key for key in ("floor", "peer", "twin") if key in target and f"ours/{key}" in ratios]
    if not judged and not {"most", "extra_ns", "within"}.intersection(target):
        return "-", "nothing to compare with here"
    return ("MISSED", "; ".join(reasons)) if reasons else ("met", how)


def lacks_ours(row):
    """Whether it is a call that our package does not have."""
    return row.get("missing", False) or ("different" not in row and "ours" not in row.get("ns", {"ours": None}))


def judge_all(rows, targets):
    """Puts a verdict into each row; the rows."""
    for row in rows:
        row["verdict"], row["why"] = judge(row, targets)
    return rows


def judge_floor(rows, targets):
    """[(title, ratio, limit)] for what the floor itself must reach against cuda.bindings."""
    ratios = {row["title"]: row.get("ratios", {}).get("floor/peer") for row in rows}
    return [(title, ratios[title], limit) for title, limit in targets["floor"].items() if ratios.get(title)]


def number(value, form):
    """A figure, or a dash in its place."""
    width = int(form.split(".")[0])
    return format(value, form) if value is not None else f"{'-':>{width}}"


def verdict(row):
    """The last column: met or not and why, and whether the row stayed noisy."""
    link = " " if row["verdict"] == "met" else ": "
    text = row["verdict"] + (link + row["why"] if row["why"] else "")
    if row.get("noise", 0) > measure.NOISY:
        text += f"  [noisy: the quietest of {row['runs']} runs, whose ratios spread over {100 * row['noise']:.0f} %]"
    return text


def line(row):
    """One line of the table of calls."""
    ratios, times = row.get("ratios", {}), row.get("ns", {})
    ours = times.get("ours")
    spread = f"{ours['median']:.0f} ({ours['low']:.0f}-{ours['high']:.0f})" if ours else "-"
    return (f"{row['title']:50}{number(ratios.get('ours/floor'), '11.2f')}"
            f"{number(row.get('instructions', {}).get('ratio'), '8.2f')}{number(ratios.get('ours/peer'), '10.2f')}"
            f"{number(ratios.get('floor/peer'), '11.2f')}"
            f"{number(times['floor']['median'] if 'floor' in times else None, '10.0f')}"
            f"{number(times['peer']['median'] if 'peer' in times else None, '10.0f')}{spread:>24}  {verdict(row)}")


def print_calls(rows, floor):
    """The table of calls on the null driver, and what it says of the floor."""
    print("\n" + HEAD)
    for row in rows:
        print(line(row))
    for title, ratio, limit in floor:
        print(f"the floor itself, {title}: {ratio:.2f} of cuda.bindings, at most {limit:.2f}: "
              f"{'fast enough' if ratio <= limit else 'TOO SLOW'}")


def print_others(rows):
    """Rows that are no calls: title, figures, verdict."""
    for row in rows:
        ratios = ", ".join(f"{name} {value:.3f}" for name, value in row.get("ratios", {}).items())
        print(f"{row['title']:50}{ratios:36} {row['figures']:70}  {verdict(row)}")
    left_out = {name: why for row in rows for name, why in row.get("left_out", {}).items()}
    for name, why in left_out.items():
        print(f"no {name} column: {why}")


def summary(rows):
    """How many targets were met."""
    met = sum(row["verdict"] == "met" for row in rows)
    missed = missed_rows(rows)
    return f"{met} of {met + len(missed)} rows with a target meet it"


def missed_rows(rows):
    """Titles of the rows that do not reach their targets."""
    return [row["title"] for row in rows if row["verdict"] == "MISSED"]


def status(judged_floor, rows, strict):
    """The exit status: columns that differ and a floor that is too slow make the comparison void; a missed target is
    printed, and no failure."""
    void = any(ratio > limit for _, ratio, limit in judged_floor) or any(row["verdict"] == "DIFFERENT" for row in rows)
    return 1 if void or (strict and missed_rows(rows)) else 0


def write(path, content):
    """The JSON output."""
    Path(path).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def plot(path, rows):
    """Bars of all calls relative to cuda.bindings, where matplotlib is installed; whether it was drawn."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot

    drawn = [row for row in rows if "ours/peer" in row.get("ratios", {})][::-1]
    figure, axes = pyplot.subplots(figsize=(10, 0.28 * len(drawn) + 1.5))
    axes.barh([row["title"] for row in drawn], [row["ratios"]["ours/peer"] for row in drawn], color="#4477aa",
              label="ours")
    with_floor = [row for row in drawn if "floor/peer" in row["ratios"]]
    axes.plot([row["ratios"]["floor/peer"] for row in with_floor], [row["title"] for row in with_floor], "k|",
              markersize=10, label="hand-written C")
    axes.axvline(1, color="#cc6677", linewidth=1)
    axes.set_xlabel("time relative to cuda.bindings")
    axes.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path)
    return True
