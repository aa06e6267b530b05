// SPDX-License-Identifier: Apache-2.0
// The driver release that introduced each link name, from the function pointer types of cudaTypedefs.h.
#pragma once

#include "clang/translation_unit.hpp"
#include "facts/headers.hpp"
#include "facts/types.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::facts {

// PFN_cuMemAlloc_v2000 and _v3020, in order, are the releases of cuMemAlloc and cuMemAlloc_v2. E121 where they do not
// pair.
void add_releases(const clang::Index& index, const Headers& headers, Facts& facts, Diagnostics& diagnostics);

}  // namespace bindgen::facts
