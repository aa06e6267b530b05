# SPDX-License-Identifier: Apache-2.0
"""Which PTX spellings of tests/data/ptx_spellings.json the kernel tests reach.

spelling_coverage.py          those in the PTX of the suite's modules
spelling_coverage.py FILE     those that the emulated device executed: a run with CUDA_BINDINGS_EMULATOR_COVERAGE=FILE
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SPELLINGS = ROOT / "tests" / "data" / "ptx_spellings.json"
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
INSTRUCTION = re.compile(r"^(?:[\w$%]+:\s*)*(?:@!?[\w%$]+\s+)?([a-z][\w]*(?:\.[\w:]+)*)(?=\s|$|\()")
WANTED = ("tier1", "tier2")
REPORTED: list[str] = []


def wanted() -> list[str]:
    """The spellings of the tiers that the emulated device must have."""
    tiers = json.loads(SPELLINGS.read_text(encoding="utf-8"))
    return [spelling for tier in WANTED for spelling in tiers[tier]]


def spellings_of(ptx: str) -> set[str]:
    """Every opcode with its modifiers, as written; directives are none."""
    found = set()
    for statement in re.split(r"[;{}]", COMMENT.sub(" ", ptx)):
        instruction = INSTRUCTION.match(statement.strip())
        if instruction:
            found.add(instruction[1])
    return found


def compiled() -> set[str]:
    """The spellings in the PTX of all cases in all variants."""
    from all_cases import CASES
    from kernel_case import ptx_of

    modules = dict.fromkeys((case.source, variant) for case in CASES for variant in case.variants)
    return set().union(*(spellings_of(ptx_of(source, variant).decode()) for source, variant in modules))


def executed(path: str) -> set[str]:
    """The spellings that the emulated device wrote to a file, one a line."""
    return set(Path(path).read_text(encoding="utf-8").split())


def report(found: set[str]) -> tuple[float, str]:
    """The share of the wanted spellings that were found, and a text with the ones that were not."""
    every = wanted()
    missing = [spelling for spelling in every if spelling not in found]
    share = 1 - len(missing) / len(every)
    head = f"{len(every) - len(missing)} of {len(every)} spellings of tiers 1 and 2: {share:.1%}"
    return share, head + (f"; missing: {', '.join(missing)}" if missing else "")


def main() -> None:
    """Prints the share and what is missing."""
    print(report(executed(sys.argv[1]) if len(sys.argv) > 1 else compiled())[1])


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parents[1])]
    main()
