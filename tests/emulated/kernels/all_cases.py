# SPDX-License-Identifier: Apache-2.0
"""All kernel cases of this folder, theme by theme."""

import cases_atomics
import cases_calls
import cases_control
import cases_cooperative
import cases_dialect
import cases_floats
import cases_half
import cases_integers
import cases_math
import cases_memory
import cases_reduce
import cases_tiles
import cases_vector
import cases_warp

THEMES = (cases_vector, cases_reduce, cases_tiles, cases_atomics, cases_integers, cases_floats, cases_math, cases_half,
          cases_warp, cases_calls, cases_memory, cases_control, cases_cooperative, cases_dialect)
CASES = [case for theme in THEMES for case in theme.CASES]
