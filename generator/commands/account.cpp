// SPDX-License-Identifier: Apache-2.0
// cuda-bindgen account.
#include <iostream>

#include "commands.hpp"

namespace bindgen {

int run_account(const AccountOptions&) {
  std::cerr << "account: not built yet\n";
  return 1;
}

}  // namespace bindgen
