# SPDX-License-Identifier: Apache-2.0
"""Random sequences over all records, compared with their shadows after every step; a failing one is made short.

    python tests/lifetime/walk.py --steps 1000000 --seed 1
    python tests/lifetime/walk.py --replay FILE    (a sequence that failed)
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]
EPISODE = 500       # steps; then all is dropped, and must be gone
TELL = 200          # episodes between signs of life


def modules() -> dict:
    """The API modules by name."""
    from cuda_bindings import driver, nvrtc, runtime
    return {"driver": driver, "runtime": runtime, "nvrtc": nvrtc}


def episode(seed: int, number: int) -> list[tuple[str, int]]:
    """A sequence: each step with the number that it draws from, so that any part of it is a sequence too."""
    from steps import STEPS
    draw = Random(f"{seed} {number}")
    names, weights = list(STEPS), [weight for weight, _ in STEPS.values()]
    return [(name, draw.getrandbits(48)) for name in draw.choices(names, weights, k=EPISODE)]


def run(sequence: list[tuple[str, int]], counts: collections.Counter | None = None) -> None:
    """Does a sequence in a world of its own. An AssertionError tells the step."""
    from steps import STEPS
    from world import World
    world = World(modules())
    depth = 0

    def meddle() -> None:
        nonlocal depth
        if depth < 2:
            depth += 1
            one(*world.draw.choice([(name, world.draw.getrandbits(48)) for name in STEPS]), nested=True)
            depth -= 1

    def one(name: str, seed: int, nested: bool = False) -> None:
        pins = len(world.pins)
        state = world.draw.getstate() if nested else None
        world.draw.seed(seed)
        STEPS[name][1](world)
        world.unpin(pins)
        if state is not None:
            world.draw.setstate(state)
        if counts is not None:
            counts[name] += 1

    world.meddle = meddle
    for index, (name, seed) in enumerate(sequence):
        try:
            one(name, seed)
            world.bury()
            world.trim()
            world.bury()
            world.compare_all()
        except Exception:
            print(f"in step {index} of {len(sequence)}: {name} {seed}", file=sys.stderr)
            raise
    world.empty()


# ---- many episodes, in a process that may crash --------------------------------------------------------------------

def work(steps: int, seed: int, first: int) -> int:
    """The episodes from `first` on; tells on stdout which one begins. The exit status."""
    counts: collections.Counter = collections.Counter()
    gc.collect()
    gc.freeze()     # what is there before the first step is not looked at by each collection
    for number in range(first, first + episodes(steps)):
        print("episode", number, flush=True)
        try:
            run(episode(seed, number), counts)
        except Exception:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)     # its records go in no order here, and an alias must not outlive what it lies in
    print("counts", json.dumps(counts), flush=True)
    return 0


def walk(steps: int, seed: int, first: int = 0) -> int:
    """So many steps; the exit status. A failing episode is made short."""
    begun = time.monotonic()
    command = [sys.executable, __file__, "--work", "--steps", str(steps), "--seed", str(seed), "--first", str(first)]
    number, counts = first - 1, ""
    with tempfile.TemporaryFile("w+") as errors:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as worker:
            assert worker.stdout is not None
            for word, rest in (line.split(maxsplit=1) for line in worker.stdout):
                if word == "counts":
                    counts = rest
                    continue
                number = int(rest)
                if number > first and (number - first) % TELL == 0:
                    print(f"{(number - first) * EPISODE} steps, {time.monotonic() - begun:.0f} s", flush=True)
        errors.seek(0)
        text = errors.read()
    if worker.returncode or not counts:
        print(text[-6000:])
        print(f"failed with --seed {seed} --first {max(number, first)}, exit status {worker.returncode}")
        if number >= first:
            report(episode(seed, number))
        return 1
    done = collections.Counter(json.loads(counts))
    print(f"{done.total()} steps with seed {seed} in {time.monotonic() - begun:.0f} s: "
          + ", ".join(f"{name} {count}" for name, count in done.most_common()))
    return 0


def episodes(steps: int) -> int:
    """How many make so many steps."""
    return max(1, -(-steps // EPISODE))


# ---- failing sequences ---------------------------------------------------------------------------------------------

def fails(sequence: list[tuple[str, int]]) -> bool:
    """Whether a sequence fails, in a process of its own."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(sequence, file)
        file.flush()
        command = [sys.executable, __file__, "--replay", file.name]
        return subprocess.run(command, capture_output=True, check=False).returncode != 0


def shortest(sequence: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """A failing sequence without the steps that it fails without."""
    size = len(sequence) // 2
    while size:
        begin = 0
        while begin < len(sequence):
            shorter = sequence[:begin] + sequence[begin + size:]
            if shorter and fails(shorter):
                sequence = shorter
            else:
                begin += size
        size //= 2
    return sequence


def report(sequence: list[tuple[str, int]]) -> None:
    """Shortens a failing sequence and says how to run it again."""
    if not fails(sequence):
        print("the episode does not fail alone: run with the same seed again")
        return
    sequence = shortest(sequence)
    file = ROOT / "build" / "lifetime-failure.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(sequence))
    print(f"{len(sequence)} steps are enough: python {Path(__file__).relative_to(ROOT)} --replay {file}\n{sequence}")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the episode to begin with")
    parser.add_argument("--replay", help="a file with a sequence")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    faulthandler.enable()
    if not any(Path(folder, "cuda_bindings", "_version.py").exists() for folder in sys.path[1:]):
        sys.path.insert(1, str(ROOT))
    if options.replay:
        try:
            run([(name, seed) for name, seed in json.loads(Path(options.replay).read_text())])
        except Exception:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        return 0
    return (work if options.work else walk)(options.steps, options.seed, options.first)


if __name__ == "__main__":
    sys.exit(main())
