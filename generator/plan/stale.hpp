// SPDX-License-Identifier: Apache-2.0
// Rows of the data tables that name nothing which the facts have.
#pragma once

#include "facts/types.hpp"
#include "plan/data.hpp"
#include "plan/function_data.hpp"
#include "plan/types.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::plan {

// E202 for each; overrides.toml has its own check.
void check_stale_rows(const facts::Facts& facts, const ClassData& classes, const FunctionData& data, const Plan& plan,
                      Diagnostics& diagnostics);

}  // namespace bindgen::plan
