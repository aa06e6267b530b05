#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The native layer without Python (slots, resolver, loader) under ThreadSanitizer: its C++ tests, of which one has 64
# threads make one first call. Usage: tests/threads/tsan.sh [BUILD_FOLDER]
set -e
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build/tsan}
cmake -S "$root" -B "$build" -DCUDA_BINDINGS_GENERATOR=OFF -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS=-fsanitize=thread >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
cmake --build "$build" --target slots_tests fakecuda --parallel "${CUDA_BINDINGS_JOBS:-2}"
TSAN_OPTIONS="halt_on_error=1 exitcode=66 ${TSAN_OPTIONS:-}" \
  "$build/tests/native/slots_tests" --gtest_brief=1
