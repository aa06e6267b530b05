// SPDX-License-Identifier: Apache-2.0
// Functions that kept their link name while their prototype changed: calling an older library by it would corrupt
// memory.
#pragma once

#include <string>

#include "facts/types.hpp"
#include "plan/decisions.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::report {

// Against the newest older snapshot in the folder, if there is one: E206 for a change that abi_since.toml does not
// list, and what check_changes() finds.
void check_in_place(const std::string& snapshots, const std::string& release, const std::string& data_folder,
                    const facts::Facts& facts, const plan::Places& places, Diagnostics& diagnostics);

// The same on two sets of facts.
void check_in_place(const facts::Facts& older, const facts::Facts& facts, const std::string& release,
                    const std::map<std::string, std::string>& abi_since, const plan::Places& places,
                    Diagnostics& diagnostics);

}  // namespace bindgen::report
