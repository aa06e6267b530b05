#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ncu must report the SAXPY kernel with its launch statistics; compute-sanitizer over the GPU suite must end with 0 errors.
# Usage: tests/gpu/run_tools.sh [folder for the reports]      (needs a GPU; PYTHON chooses the interpreter)
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
out=${1:-$root/build/gpu-tools}
python=${PYTHON:-python3}
mkdir -p "$out"
cd "$root" || exit 1
failed=0

# The package that was built in this checkout; without one, the interpreter's own.
if ls cuda_bindings/_native*.so >/dev/null 2>&1; then export PYTHONPATH="$root${PYTHONPATH:+:$PYTHONPATH}"; fi

find_tool() {
  command -v "$1" || ls /usr/local/cuda/bin/"$1" /opt/nvidia/nsight-compute/*/"$1" 2>/dev/null | tail -1
}

ncu=$(find_tool ncu)
if [ -z "$ncu" ]; then
  echo "ncu: not found"
  failed=1
else
  # Clocks stay as they are: the machine's settings are not ours to change.
  "$ncu" --clock-control none --section LaunchStats --section SpeedOfLight --launch-count 2 \
    "$python" examples/saxpy.py >"$out/ncu.txt" 2>&1
  if grep -qE '^ *saxpy ?\(' "$out/ncu.txt" && grep -q 'Launch Statistics' "$out/ncu.txt"; then
    grep -m1 -E '^ *saxpy ?\(' "$out/ncu.txt"
    grep -m4 -E 'Block Size|Grid Size|Registers Per Thread|Threads ' "$out/ncu.txt"
    echo "ncu: the saxpy kernel with its launch statistics"
  else
    tail -20 "$out/ncu.txt"
    echo "ncu: FAILED, see $out/ncu.txt"
    failed=1
  fi
fi

sanitizer=$(find_tool compute-sanitizer)
if [ -z "$sanitizer" ]; then
  echo "compute-sanitizer: not found"
  failed=1
else
  "$sanitizer" --tool memcheck --error-exitcode 9 --target-processes application-only \
    "$python" -m pytest tests/gpu -p no:cacheprovider -m "gpu and not provokes_errors" \
    >"$out/compute-sanitizer.txt" 2>&1
  status=$?
  grep -E 'passed|failed|ERROR SUMMARY' "$out/compute-sanitizer.txt" | tail -3
  if [ "$status" -ne 0 ] || ! grep -q 'ERROR SUMMARY: 0 errors' "$out/compute-sanitizer.txt"; then
    echo "compute-sanitizer: FAILED with status $status, see $out/compute-sanitizer.txt"
    failed=1
  fi
fi
exit $failed
