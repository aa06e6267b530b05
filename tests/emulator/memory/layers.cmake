# SPDX-License-Identifier: Apache-2.0
# These tests run the rows of memory and atomics alone, with stand-ins for the machine: they build without its other
# layers.
set(layers emulator_memory)
file(GLOB memory_ops ${PROJECT_SOURCE_DIR}/emulator/ops/memory_*.cpp ${PROJECT_SOURCE_DIR}/emulator/ops/atomics.cpp)
foreach(variant ${emulator_variants})
  add_library(emulator_memory_ops_${variant} OBJECT ${memory_ops})
  target_compile_options(emulator_memory_ops_${variant} PRIVATE ${emulator_ops})
  target_compile_definitions(emulator_memory_ops_${variant} PRIVATE EMULATOR_ISA=${variant})
  target_link_libraries(emulator_memory_ops_${variant} PUBLIC emulator_flags)
  if(variant STREQUAL avx2)
    target_compile_options(emulator_memory_ops_avx2 PRIVATE ${emulator_avx2})
  endif()
  list(APPEND layers emulator_memory_ops_${variant})
endforeach()
