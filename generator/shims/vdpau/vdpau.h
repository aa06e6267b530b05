/* SPDX-License-Identifier: Apache-2.0 */
/* The VDPAU types that CUDA's interop headers name, so that no VDPAU development package is needed. */
#pragma once

#include <stdint.h>

typedef uint32_t VdpDevice;
typedef uint32_t VdpVideoSurface;
typedef uint32_t VdpOutputSurface;
typedef uint32_t VdpFuncId;
typedef int VdpStatus;
typedef VdpStatus VdpGetProcAddress(VdpDevice device, VdpFuncId function_id, void **function_pointer);
