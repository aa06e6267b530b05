# SPDX-License-Identifier: Apache-2.0
# Modules are loaded and run here: everything but the driver.
set(layers ${emulator_layers})
list(REMOVE_ITEM layers emulator_driver)
