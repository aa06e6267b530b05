/* SPDX-License-Identifier: Apache-2.0 */
/* The EGL types that CUDA's interop headers name, so that no EGL development package is needed. */
#pragma once

typedef int EGLint;
