# SPDX-License-Identifier: Apache-2.0
# The machine runs hand-made code here: of the decoder only the opcode table is needed, and no row of the op files.
set(layers emulator_common emulator_memory emulator_machine emulator_decode)
target_link_options(emulator_machine_tests PRIVATE -Wl,--gc-sections)
