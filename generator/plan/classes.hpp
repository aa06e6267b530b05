// SPDX-License-Identifier: Apache-2.0
// Which Python classes the facts make: handles, enums and records, with their bases and members.
#pragma once

#include "facts/types.hpp"
#include "plan/data.hpp"
#include "plan/type_table.hpp"
#include "plan/types.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::plan {

// Registers every class name with the table (ids depend on all of them), then fills the class lists of the plan.
void add_classes(const facts::Facts& facts, const ClassData& data, TypeTable& table, Plan& plan,
                 Diagnostics& diagnostics);

}  // namespace bindgen::plan
