# SPDX-License-Identifier: Apache-2.0
"""All kernel cases of this folder, theme by theme."""

import cases_vector

THEMES = (cases_vector,)
CASES = [case for theme in THEMES for case in theme.CASES]
SOURCES = list(dict.fromkeys(case.source for case in CASES))
