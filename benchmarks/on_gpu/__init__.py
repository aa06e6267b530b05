# SPDX-License-Identifier: Apache-2.0
"""What the GPU part compares with: the C++ twin and other packages."""
