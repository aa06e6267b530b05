# SPDX-License-Identifier: Apache-2.0
# The whole device behind the driver's interface, and where the list of implemented functions lies.
set(layers ${emulator_layers})
target_compile_definitions(emulator_driver_tests PRIVATE EMULATOR_SOURCE="${CMAKE_CURRENT_SOURCE_DIR}")
