// SPDX-License-Identifier: Apache-2.0
// What each parameter of a function is: the rules' verdict or a row's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/function_data.hpp"
#include "plan/overrides.hpp"
#include "plan/type_table.hpp"
#include "plan/types.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::plan {

// One parameter on its way to an argument or an output.
struct Decision {
  const facts::Parameter* fact = nullptr;
  TypeSpelling type;
  ResolvedType resolved;
  ParameterPlan plan;
  std::string convert;            // given by a row
  std::string produce;            // given by a row
  Json details = Json::object();  // given by a row
  std::string rule;               // id of the rule or row that decided
  bool is_weak = false;
  bool is_decided_by_row = false;
  std::optional<std::size_t> counted_by;
  std::optional<std::size_t> attribute;  // the sibling enum of an attribute's value
  std::vector<std::string> trace;        // for `explain`: every rule and what it said
};

// Where facts stand in the headers: "cuda.h:1234" by kind and name.
class Places {
 public:
  explicit Places(const facts::Positions& positions);
  std::string of(const std::string& kind, const std::string& name) const;

 private:
  std::map<std::string, std::string> places_;
};

std::vector<Decision> decide(const facts::Function& function, const FunctionData& data, Overrides& overrides,
                             const TypeTable& table, const Places& places, Diagnostics& diagnostics);

}  // namespace bindgen::plan
