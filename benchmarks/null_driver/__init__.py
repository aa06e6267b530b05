# SPDX-License-Identifier: Apache-2.0
"""The null driver: its sources and their build."""
