# SPDX-License-Identifier: Apache-2.0
"""The renderer's errors: E400 to E406, listed in render.py."""


class RenderError(Exception):
    """A code and what it is about."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code
