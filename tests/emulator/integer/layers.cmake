# SPDX-License-Identifier: Apache-2.0
# Rows are asked for by name: of the other op files and of the decoder only the opcode table stays.
set(layers emulator_decode)
foreach(variant ${emulator_variants})
  list(APPEND layers emulator_ops_${variant})
endforeach()
target_link_options(emulator_integer_tests PRIVATE -Wl,--gc-sections)
