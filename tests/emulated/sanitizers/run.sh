#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the emulated device with sanitizers and runs its C++ tests and the kernels of tests/emulated on it:
#   tests/emulated/sanitizers/run.sh address|thread [arguments for pytest]
# address: AddressSanitizer and UndefinedBehaviorSanitizer. thread: ThreadSanitizer, less what tsan.supp beside it names.
# Needs what CONTRIBUTING names for the C++ tests, and g++. From the environment:
#   CUDA_BINDINGS_PYTHON     a Python with NumPy and pytest for which the package was built in place (default: python3)
#   CUDA_BINDINGS_LIBNVRTC   NVRTC, where it is not found by itself
#   CUDA_BINDINGS_SANITIZED  "c++" or "python" for one half only (default: both)
#   JOBS                     compilers at a time (default: 2)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)

case "${1:-}" in
  address) sanitizers=address,undefined libraries="libasan.so libubsan.so" ;;
  thread) sanitizers=thread libraries=libtsan.so ;;
  *) sed -n '3,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
kind=$1
shift
halves=${CUDA_BINDINGS_SANITIZED:-both}
build=$root/build/sanitizers-$kind

cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=g++ -DCUDA_BINDINGS_GENERATOR=OFF \
  -DCUDA_BINDINGS_SANITIZE=$sanitizers -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1

export UBSAN_OPTIONS=print_stacktrace=1
export CUDA_BINDINGS_EMULATOR_THREADS=${CUDA_BINDINGS_EMULATOR_THREADS:-4}
failed=0

# ThreadSanitizer's shadow memory needs addresses where they are without randomisation.
plain=()
[ "$kind" = thread ] && plain=(setarch "$(uname -m)" -R)

if [ "$halves" != python ]; then
  programs=(memory machine system_calls driver)
  targets=("${programs[@]/%/_tests}")
  "${plain[@]}" ninja -C "$build" -j "${JOBS:-2}" "${targets[@]/#/emulator_}"
  # Without suppressions: no kernel of these tests races.
  export ASAN_OPTIONS=abort_on_error=1 TSAN_OPTIONS=second_deadlock_stack=1
  for program in "${programs[@]}"; do
    echo "== emulator_${program}_tests"
    "${plain[@]}" "$build/emulator/emulator_${program}_tests" --gtest_brief=1 || failed=1
  done
fi

if [ "$halves" != c++ ]; then
  "${plain[@]}" ninja -C "$build" -j "${JOBS:-2}" cuda_bindings_emulator
  # Python is not instrumented: leaks are its own, and NVRTC's memory may come from one allocator and go to another.
  export ASAN_OPTIONS=abort_on_error=1:detect_leaks=0:alloc_dealloc_mismatch=0
  export TSAN_OPTIONS=second_deadlock_stack=1:suppressions=$here/tsan.supp
  preload=
  for library in $libraries; do preload="$preload $(g++ -print-file-name=$library)"; done
  cd "$root"
  device=$build/emulator/libcuda_bindings_emulator.so
  python=("${plain[@]}" env "LD_PRELOAD=${preload# }" "PYTHONPATH=$root" "CUDA_BINDINGS_LIBCUDA=$device"
    "${CUDA_BINDINGS_PYTHON:-python3}")
  echo "== host_threads.py"
  "${python[@]}" "$here/host_threads.py" "$device" >"$build/host_threads.txt" || failed=1
  echo "== tests/emulated/kernels and tests/emulated/vectors"
  "${python[@]}" -m pytest -q -p no:cacheprovider tests/emulated/kernels tests/emulated/vectors "$@" || failed=1
fi
exit $failed
