// SPDX-License-Identifier: Apache-2.0
// cuda-bindgen extract.
#include <iostream>

#include "commands.hpp"

namespace bindgen {

int run_extract(const ExtractOptions&) {
  std::cerr << "extract: not built yet\n";
  return 1;
}

}  // namespace bindgen
