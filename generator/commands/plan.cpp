// SPDX-License-Identifier: Apache-2.0
// cuda-bindgen plan.
#include <iostream>

#include "commands.hpp"

namespace bindgen {

int run_plan(const PlanOptions&) {
  std::cerr << "plan: not built yet\n";
  return 1;
}

}  // namespace bindgen
