# SPDX-License-Identifier: Apache-2.0
# What the tests of this folder link.
set(layers emulator_common emulator_ptx)
