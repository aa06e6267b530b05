# SPDX-License-Identifier: Apache-2.0
# The files under test and the memory layer; caller.cpp stands in for the rest of the machine.
set(layers emulator_memory)
foreach(file system_calls print_format print_buffer device_heap)
  target_sources(emulator_system_calls_tests PRIVATE ${PROJECT_SOURCE_DIR}/emulator/machine/${file}.cpp)
endforeach()
