# SPDX-License-Identifier: Apache-2.0
"""Which link names the libraries of a CUDA release export, as far as that release's headers say (tests/data).

    python tests/drivers/link_names.py SNAPSHOTS > tests/data/link_names.txt

writes the table anew from the facts that `cuda-bindgen extract` has put into SNAPSHOTS/12.0, 12.4 and 13.0.
"""

from __future__ import annotations

import json
import sys
import textwrap
from functools import lru_cache
from pathlib import Path

TABLE = Path(__file__).resolve().parents[1] / "data" / "link_names.txt"
RELEASES = ("12.0", "12.4", "13.0")


@lru_cache(maxsize=None)
def link_names(release: str) -> dict[str, frozenset[str]]:
    """{module: link names} of a release, per-thread twins and prototypes of older ABIs among them."""
    found: dict[str, set[str]] = {"driver": set(), "runtime": set(), "nvrtc": set()}
    names: set[str] = set()
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            module, *releases = line.strip("[]").split()
            names = found[module] if release in releases else set()
        elif not line.startswith("#"):
            names.update(line.split())
    return {module: frozenset(names) for module, names in found.items()}


def _read(folder: Path) -> dict[tuple[str, str], set[str]]:
    releases: dict[tuple[str, str], set[str]] = {}
    for release in RELEASES:
        for line in (folder / release / "facts.jsonl").read_text(encoding="utf-8").splitlines():
            fact = json.loads(line)
            if fact["kind"] != "function" or fact.get("inline"):
                continue
            for name in {fact.get("link", fact["name"]), fact.get("ptds")} - {None}:
                releases.setdefault((fact["module"], name), set()).add(release)
    return releases


def main(folder: Path) -> None:
    """Prints the table."""
    groups: dict[tuple[str, str], list[str]] = {}
    for (module, name), releases in _read(folder).items():
        groups.setdefault((module, " ".join(sorted(releases))), []).append(name)
    print("# Link names by library and CUDA releases whose headers declare them: see tests/drivers/link_names.py.")
    for (module, releases), names in sorted(groups.items()):
        print(f"[{module} {releases}]")
        print(textwrap.fill(" ".join(sorted(names)), width=120, break_long_words=False, break_on_hyphens=False))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
