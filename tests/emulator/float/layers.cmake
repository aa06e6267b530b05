# SPDX-License-Identifier: Apache-2.0
# These tests run the rows of the float op files alone, in the library's variants and in a portable one:
# what a CPU without MXCSR and fused multiply-add would run.
set(float_ops approximate float float_compare float_convert float_rows float_set half half_lanes rounding)
list(TRANSFORM float_ops PREPEND ${PROJECT_SOURCE_DIR}/emulator/ops/)
list(TRANSFORM float_ops APPEND .cpp)
add_library(emulator_float_table OBJECT ${PROJECT_SOURCE_DIR}/emulator/decode/opcode_table.cpp)
target_link_libraries(emulator_float_table PUBLIC emulator_flags)
set(layers emulator_float_table)
foreach(variant ${emulator_variants} portable)
  add_library(emulator_float_ops_${variant} OBJECT ${float_ops})
  target_compile_options(emulator_float_ops_${variant} PRIVATE ${emulator_ops})
  target_compile_definitions(emulator_float_ops_${variant} PRIVATE EMULATOR_ISA=${variant})
  target_link_libraries(emulator_float_ops_${variant} PUBLIC emulator_flags)
  list(APPEND layers emulator_float_ops_${variant})
endforeach()
target_compile_definitions(emulator_float_ops_portable PRIVATE EMULATOR_PORTABLE)
if(TARGET emulator_float_ops_avx2)
  target_compile_options(emulator_float_ops_avx2 PRIVATE ${emulator_avx2})
  target_compile_definitions(emulator_float_tests PRIVATE EMULATOR_HAS_AVX2_ROWS)
endif()
# The table names the rows of all op files; those that no test asks for are dropped.
target_link_options(emulator_float_tests PRIVATE -Wl,--gc-sections)
