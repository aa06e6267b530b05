// SPDX-License-Identifier: Apache-2.0
// Text arguments: bytes and bytearray as zero-terminated C strings.
#pragma once

#include "native/arguments.hpp"

namespace cuda_bindings {

int read_text(Text& text, PyObject* object, bool nullable, Place place);
int read_text_list(TextList& list, PyObject* object, const ListRules& rules, Place place);

}  // namespace cuda_bindings
