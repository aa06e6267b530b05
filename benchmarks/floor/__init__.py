# SPDX-License-Identifier: Apache-2.0
"""The hand-written floor: its sources and their build."""
