# SPDX-License-Identifier: Apache-2.0
"""./dev generate and ./dev check: from headers to sources, and the proof that the committed ones are those."""

import filecmp
import shutil
from pathlib import Path

import console
import environment
import generator
import headers
import places

RENDERER = [("jinja2", "3", "jinja2")]
SNAPSHOTS = places.ROOT / "headers-snapshot"
FACTS = ("facts.jsonl", "positions.jsonl")


def prepare():
    """The environment with the renderer, and a generator built with the LLVM release at hand."""
    llvm, llvm_packages = generator.choose_llvm(full=False)
    main = environment.main_environment()
    main = environment.prepare(main, RENDERER, generator.packages(llvm_packages))
    return main, generator.build(llvm[0])


def generate(options):
    """./dev generate RELEASE: headers, facts, plan, sources."""
    main, folder = prepare()
    release = options.release
    found = headers.Headers(release, options.headers) if options.headers else headers.fetch(main, release)
    generator.extract(folder, found, SNAPSHOTS / release)
    generator.render(main, generator.plan(folder, release))
    console.say(f"bindings/generated is that of CUDA {release}; git diff shows what changed")
    return 0


def check():
    """./dev check: plan and render from the committed snapshot, compare bytes."""
    main, folder = prepare()
    check_tree(main, folder)
    console.say("bindings/generated is what the committed snapshot gives")
    return 0


def check_tree(main, folder):
    """Fails where bindings/generated is not what the committed snapshot gives."""
    releases = sorted(path.name for path in SNAPSHOTS.iterdir() if (path / "facts.jsonl").exists())
    plan_file = generator.plan(folder, releases[-1], check=True)
    generator.account(folder, releases[-1], plan_file)
    generator.render(main, plan_file, check=True)


def check_facts(folder, llvm, found):
    """Fails where the headers give other facts than the committed ones."""
    release = found.release
    output = places.BUILD / f"facts-{release}-llvm{llvm}"
    shutil.rmtree(output, ignore_errors=True)
    generator.extract(folder, found, output, check=True)
    for name in FACTS:
        if not filecmp.cmp(output / name, SNAPSHOTS / release / name, shallow=False):
            ours = Path(output / name).relative_to(places.ROOT)
            raise console.Failure(f"libclang {llvm} reads other facts than the committed {release}/{name}: see {ours}")
