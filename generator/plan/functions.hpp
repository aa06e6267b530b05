// SPDX-License-Identifier: Apache-2.0
// A function's Python side: its arguments, outputs, and what feeds each C parameter.
#pragma once

#include <vector>

#include "facts/types.hpp"
#include "plan/decisions.hpp"
#include "plan/types.hpp"

namespace bindgen::plan {

struct FunctionContext {
  const FunctionData& data;
  const TypeTable& table;
  const Plan& plan;  // its classes
  const std::map<std::string, const facts::Function*>& by_name;
  const Places& places;
  Diagnostics& diagnostics;
};

FunctionPlan plan_function(const facts::Function& function, std::vector<Decision>& decisions,
                           const FunctionContext& context);

// "CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)"
std::string prototype_of(const facts::Function& function);

}  // namespace bindgen::plan
