# SPDX-License-Identifier: Apache-2.0
"""First calls race: 64 threads, every function, in a process that has called nothing yet."""

from __future__ import annotations

import json

from processes import run


def test_64_threads_make_the_first_call_of_every_function_at_once():
    done = json.loads(run("import first_calls\nfirst_calls.main()\n", limit=300))
    assert done["wrong"] == [] and done["unresolved"] == []
    assert done["functions"] >= 780
