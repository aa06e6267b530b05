// SPDX-License-Identifier: Apache-2.0
// The data tables that concern functions: names, byte lengths, the GIL, exclusions, releases.
#pragma once

#include <map>
#include <set>
#include <string>

#include "plan/callback_data.hpp"
#include "rules/rule.hpp"

namespace bindgen::plan {

struct AddressRow {
  std::string access;  // read, write
  std::string bytes;   // C name of the parameter with the byte length
};

struct FunctionData {
  rules::RuleData rules;
  std::string tensor_rank;
  int tensor_limit = 0;
  std::map<std::string, int> tensor_fewer;               // parameter -> by how much its array is shorter than the rank
  std::map<std::string, AddressRow> addresses;           // "cuMemcpyHtoD.srcHost"
  std::map<std::string, std::string> optional_elements;  // element type -> why its arrays may be NULL at any count
  std::map<std::string, std::string> python_names;       // of parameters
  std::map<std::string, std::string> overloads;          // function -> its older form
  std::map<std::string, std::string> gil_held;           // function -> reason
  CallbackData callbacks;
  std::set<std::string> excluded_functions;
  std::set<std::string> excluded_constants;
  std::map<std::string, std::string> abi_since;   // link name -> release in which its prototype last changed
  std::map<std::string, std::string> changes;     // name -> release whose change of it is accepted
  std::map<std::string, std::string> first_seen;  // link name -> release, where cudaTypedefs.h does not say
};

FunctionData read_function_data(const std::string& folder);

}  // namespace bindgen::plan
