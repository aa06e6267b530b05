/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenGL types that CUDA's interop headers name, so that no OpenGL development package is needed. */
#pragma once

typedef unsigned int GLenum;
typedef unsigned int GLuint;
