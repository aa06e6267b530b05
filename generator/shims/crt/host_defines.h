/* SPDX-License-Identifier: Apache-2.0 */
/* What the CUDA headers need of crt/host_defines.h, for a header folder that has none: it is in a package of its own. */
#pragma once

#define __host__
#define __device__
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __specialization_static static
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDARTAPI_CDECL
