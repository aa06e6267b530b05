/* SPDX-License-Identifier: Apache-2.0 */
/* The EGL extension types that CUDA's interop headers name. */
#pragma once

#include "EGL/egl.h"

typedef void *EGLImageKHR;
typedef void *EGLStreamKHR;
typedef void *EGLSyncKHR;
