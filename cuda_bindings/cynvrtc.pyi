# SPDX-License-Identifier: Apache-2.0
# For Cython alone: cynvrtc.pxd says what it has, and Python sees the capsules.
__pyx_capi__: dict[str, object]
