// SPDX-License-Identifier: Apache-2.0
// A rule answers one question about a pointer parameter, or defers to the next one.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "facts/types.hpp"
#include "plan/type_table.hpp"

namespace bindgen::rules {

struct Verdict {
  std::string role;   // in, out, inout
  std::string alloc;  // "-" for inputs; out: callee hands the value over, caller hands memory in
  std::string rank;   // value, slot, buffer, string, address
  std::string evidence;
  std::string rule;      // id, filled in by the chain
  bool is_weak = false;  // a new function's line must be accepted by a person

  static Verdict input(std::string evidence, std::string rank = {}) {
    return {"in", "-", std::move(rank), std::move(evidence), {}, false};
  }
  static Verdict output(std::string evidence, std::string rank = {}) {
    return {"out", "callee", std::move(rank), std::move(evidence), {}, false};
  }
  static Verdict both(std::string evidence, std::string rank = {}) {
    return {"inout", "caller", std::move(rank), std::move(evidence), {}, false};
  }
};

// Attribute enums whose value is passed as void *, with the sibling that selects its type.
struct RuleData {
  std::vector<std::string> attribute_enums;
  std::vector<std::string> option_enums;
};

// One pointer parameter with everything about its function that a rule may ask.
class PointerParameter {
 public:
  class Pointee {
   public:
    Pointee(const plan::TypeSpelling& type, const plan::ResolvedType& resolved) : type_(type), resolved_(resolved) {}
    bool is_const() const { return type_.is_pointee_const(); }
    bool is_void() const { return resolved_.category == plan::Category::nothing && resolved_.depth == 1; }
    bool is_void_pointer() const { return resolved_.category == plan::Category::nothing && resolved_.depth == 2; }
    bool is(plan::Category category) const { return resolved_.category == category && resolved_.depth == 1; }

   private:
    const plan::TypeSpelling& type_;
    const plan::ResolvedType& resolved_;
  };

  PointerParameter(const facts::Function& function, std::size_t index, const plan::TypeTable& table,
                   const RuleData& data);

  const facts::Function& function() const { return *function_; }
  const facts::Parameter& fact() const { return function_->params[index_]; }
  std::size_t index() const { return index_; }
  const plan::TypeSpelling& type() const { return type_; }
  const plan::ResolvedType& resolved() const { return resolved_; }
  Pointee pointee() const { return {type_, resolved_}; }
  const std::string& documentation() const { return fact().doc; }
  const RuleData& data() const { return *data_; }

  bool is_first() const { return index_ == 0; }
  bool is_last() const { return index_ + 1 == function_->params.size(); }
  // A pointer to a handle that is itself a pointer: CUstream *, not CUdeviceptr *.
  bool points_at_pointer_handle() const;
  bool function_name_has(std::initializer_list<const char*> words) const;
  // The parameter beside this one, -1 before, +1 behind; none where there is no such parameter.
  std::optional<PointerParameter> neighbour(int distance) const;
  // The integer parameter that counts this array: behind its run of arrays, or before it.
  std::optional<std::size_t> counted_by() const;
  // A sibling parameter that is an attribute enum.
  std::optional<std::size_t> attribute_sibling() const;

 private:
  const facts::Function* function_;
  std::size_t index_;
  const plan::TypeTable* table_;
  const RuleData* data_;
  plan::TypeSpelling type_;
  plan::ResolvedType resolved_;
};

// The rules, strongest evidence first; each in a file of its name.
std::optional<Verdict> const_pointee(const PointerParameter& parameter);
std::optional<Verdict> attribute_value(const PointerParameter& parameter);
std::optional<Verdict> void_address(const PointerParameter& parameter);
std::optional<Verdict> kernel_parameters(const PointerParameter& parameter);
std::optional<Verdict> option_array(const PointerParameter& parameter);
std::optional<Verdict> capacity_count(const PointerParameter& parameter);
std::optional<Verdict> documented_tag(const PointerParameter& parameter);
std::optional<Verdict> returned_wording(const PointerParameter& parameter);
std::optional<Verdict> named_in_prose(const PointerParameter& parameter);
std::optional<Verdict> counted_array(const PointerParameter& parameter);
std::optional<Verdict> creator_first(const PointerParameter& parameter);
std::optional<Verdict> pointer_to_handle(const PointerParameter& parameter);
std::optional<Verdict> record_argument(const PointerParameter& parameter);

struct Rule {
  const char* id;
  std::optional<Verdict> (*answer)(const PointerParameter&);
  bool is_weak;  // evidence that a person must confirm for a new function
};

const std::vector<Rule>& chain();

// The first answer; every rule's verdict on the way, for `explain` and for conflicts.
struct ChainResult {
  std::optional<Verdict> verdict;
  std::optional<Verdict> conflict;  // documentation that says the opposite of a stronger rule
  std::vector<std::pair<std::string, std::optional<Verdict>>> asked;
};
ChainResult ask(const PointerParameter& parameter);

}  // namespace bindgen::rules
