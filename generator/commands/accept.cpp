// SPDX-License-Identifier: Apache-2.0
// cuda-bindgen accept.
#include <iostream>

#include "commands.hpp"

namespace bindgen {

int run_accept(const AcceptOptions&) {
  std::cerr << "accept: not built yet\n";
  return 1;
}

}  // namespace bindgen
