# SPDX-License-Identifier: Apache-2.0
# find_package(cuda_bindings): the target cuda_bindings::cuda_bindings.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/cuda_bindingsTargets.cmake)
