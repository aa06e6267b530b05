# SPDX-License-Identifier: Apache-2.0
"""What ./dev shows: its lines, its steps with a sign of life, and how a step fails."""

import os
import select
import subprocess
import sys
import time

import places

SIGN_OF_LIFE = 10  # seconds of silence after which a running step says so
TAIL = 40  # lines of a failed step's log that are worth showing
_running = set()  # the processes of steps, for stop()


class Failure(Exception):
    """Ends ./dev with a message and an exit status; never a traceback."""

    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status


def say(text):
    """One line of ./dev's own."""
    print(f"[dev] {text}", flush=True)


def step(title, command, *, show=False, cwd=places.ROOT, env=None, fatal=True):
    """Runs a command with its output in build/log, or shown too; returns (status, output).

    A step that fails ends ./dev with the end of its log, unless `fatal` is off.
    """
    say(title)
    begun = time.monotonic()
    log = places.log_file(title)
    with subprocess.Popen(
        [os.fspath(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, cwd=cwd, env=places.environment(env),
    ) as process:
        _running.add(process)
        try:
            output = _follow(process, title, begun, show)
        finally:
            _running.discard(process)
    log.write_bytes(output)
    text = output.decode(errors="replace")
    if process.returncode and fatal:
        end = "" if show else "\n".join(text.splitlines()[-TAIL:]) + "\n"
        raise Failure(f"{end}{title}: failed with status {process.returncode}; the whole output is in "
                      f"{log.relative_to(places.ROOT)}")
    return process.returncode, text


def stop():
    """Ends the steps that run in other threads."""
    for process in list(_running):
        process.terminate()


def _follow(process, title, begun, show):
    """Collects the output of a running process; says every few silent seconds that it is alive."""
    pipe = process.stdout.fileno()
    parts = []
    next_sign = begun + SIGN_OF_LIFE
    while True:
        ready, _, _ = select.select([pipe], [], [], max(0.0, next_sign - time.monotonic()))
        if ready:
            part = os.read(pipe, 65536)
            if not part:
                process.wait()
                return b"".join(parts)
            parts.append(part)
            if show:
                sys.stdout.buffer.write(part)
                sys.stdout.buffer.flush()
                next_sign = time.monotonic() + SIGN_OF_LIFE
        if time.monotonic() >= next_sign:
            elapsed = time.monotonic() - begun
            say(f"  ... {title} ({elapsed:.0f} s)")
            next_sign = time.monotonic() + SIGN_OF_LIFE * (1 if elapsed < 6 * SIGN_OF_LIFE else 3)


def ask(command, env=None):
    """The output of a short command, or None where it failed."""
    try:
        done = subprocess.run([os.fspath(part) for part in command], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, env=places.environment(env), check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
