// SPDX-License-Identifier: Apache-2.0
// The C declarations that our own types header needs, in an order that a C compiler accepts.
#pragma once

#include <vector>

#include "facts/types.hpp"
#include "plan/type_table.hpp"
#include "plan/types.hpp"

namespace bindgen::plan {

// Everything that the given functions, the record classes and the callbacks name.
std::vector<Json> declarations(const facts::Facts& facts, const std::vector<const facts::Function*>& functions,
                               const TypeTable& table);

}  // namespace bindgen::plan
