// SPDX-License-Identifier: Apache-2.0
// plan.json, as the templates read it.
#pragma once

#include <string>

#include "plan/types.hpp"

namespace bindgen::plan {

// One line per class, constant, type and function, so that two plans can be compared by eye.
std::string to_json_text(const Plan& plan);

Json to_json(const FunctionPlan& function);

}  // namespace bindgen::plan
