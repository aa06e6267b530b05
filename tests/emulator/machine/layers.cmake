# SPDX-License-Identifier: Apache-2.0
# Code comes from hand-made functions and, through the decoder, from PTX text; the driver layer is not needed.
set(layers emulator_common emulator_ptx emulator_memory emulator_machine emulator_decode emulator_ops_baseline)
if(TARGET emulator_ops_avx2)
  list(APPEND layers emulator_ops_avx2)
endif()

