// SPDX-License-Identifier: Apache-2.0
// cuda-bindgen diff.
#include <iostream>

#include "commands.hpp"

namespace bindgen {

int run_diff(const DiffOptions&) {
  std::cerr << "diff: not built yet\n";
  return 1;
}

}  // namespace bindgen
