# SPDX-License-Identifier: Apache-2.0
"""The runners of ./dev test: each by itself or side by side, and their own last words in the order of the steps."""

import contextlib
import re
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import console
import places


class Summary:
    """The last word of each runner, in the order in which they were asked for, and how long it took."""

    def __init__(self):
        self.lines = []
        self.failed = False
        self._waiting = {}  # by lane
        self._output = threading.Lock()
        self._stopped = threading.Event()

    def run(self, title, command, pattern, env=None, cwd=places.ROOT):
        """Runs a test runner with its output shown; its summary is the last line that fits the pattern."""
        self._run((self._place(), title, command, pattern, env, cwd), show=True)

    def later(self, lane, title, command, pattern, env=None):
        """As run(), but not before gather() runs the lanes side by side, each one's runners in turn."""
        self._waiting.setdefault(lane, []).append((self._place(), title, command, pattern, env, places.ROOT))

    def gather(self):
        """Runs what waits, one lane per processor. Of several, each runner's output is shown when it has ended."""
        lanes, self._waiting = list(self._waiting.values()), {}
        pool = ThreadPoolExecutor(places.JOBS)
        try:
            list(pool.map(lambda lane: self._run_lane(lane, show=len(lanes) == 1), lanes))
        except BaseException:  # Ctrl-C: what runs ends, and nothing begins
            self._stopped.set()
            console.stop()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def _run_lane(self, lane, show):
        for runner in lane:
            try:
                self._run(runner, show)
            except Exception as error:  # of one runner: the others' words are wanted all the same
                self._write(runner[0], runner[1], repr(error), 0, 1)

    def _run(self, runner, show):
        place, title, command, pattern, env, cwd = runner
        if self._stopped.is_set():
            return
        begun = time.monotonic()
        status, output = console.step(title, command, show=show, fatal=False, env=env, cwd=cwd)
        seconds = time.monotonic() - begun
        with self._output:
            if self._stopped.is_set():
                return
            if not show:
                console.say(f"{title} said:")
                sys.stdout.buffer.write(output.encode() + b"\n")
                sys.stdout.buffer.flush()
            self._judge(place, title, pattern, status, output, seconds)

    def add(self, title, line, seconds, status=0):
        """One line of the summary."""
        self._write(self._place(), title, line, seconds, status)

    @contextlib.contextmanager
    def step(self, title, line):
        """Times a step that fails by ending ./dev; what it says of itself once it has passed."""
        begun = time.monotonic()
        yield
        self.add(title, line, time.monotonic() - begun)

    def close(self):
        """Runs what still waits and prints all lines; the exit status."""
        self.gather()
        print("\n" + "\n".join(self.lines), flush=True)
        return 1 if self.failed else 0

    def _place(self):
        self.lines.append("")
        return len(self.lines) - 1

    def _judge(self, place, title, pattern, status, output, seconds):
        found = [line.strip("= ") for line in output.splitlines() if re.search(pattern, line)]
        line = found[-1] if found else "no summary line: nothing ran"
        self._write(place, title, line, seconds, status or not found)

    def _write(self, place, title, line, seconds, status):
        self.failed = self.failed or bool(status)
        self.lines[place] = f"{'FAILED' if status else 'ok':7}{title}: {line} [{seconds:.0f} s]"
