// SPDX-License-Identifier: Apache-2.0
// Facts and data in; plan, decisions and errors out.
#pragma once

#include <string>
#include <vector>

#include "facts/types.hpp"
#include "plan/decisions.hpp"
#include "plan/types.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::plan {

struct FunctionDecisions {
  const facts::Function* function = nullptr;
  std::vector<Decision> parameters;
};

struct PlanResult {
  Plan plan;
  std::vector<FunctionDecisions> decisions;  // in the order of plan.functions
};

// `facts` must outlive the result.
PlanResult build_plan(const facts::Facts& facts, const facts::Positions& positions, const std::string& data_folder,
                      const std::string& release, Diagnostics& diagnostics);

}  // namespace bindgen::plan
