// SPDX-License-Identifier: Apache-2.0
// cuda-bindgen explain.
#include <iostream>

#include "commands.hpp"

namespace bindgen {

int run_explain(const ExplainOptions&) {
  std::cerr << "explain: not built yet\n";
  return 1;
}

}  // namespace bindgen
