// SPDX-License-Identifier: Apache-2.0
// Fills in everything about a function that is not a parameter.
#include "plan/functions.hpp"

#include "plan/conversions.hpp"

namespace bindgen::plan {
namespace {

std::string spaced(const std::string& type, const std::string& name) {
  if (name.empty()) return type;
  const auto star = type.find("(*)");
  if (star != std::string::npos) return type.substr(0, star + 2) + name + type.substr(star + 2);
  return type + (type.ends_with('*') ? "" : " ") + name;
}

bool is_status(const std::string& returns) {
  const auto name = without_keyword(returns);
  return name == "CUresult" || name == "cudaError_t" || name == "cudaError" || name == "nvrtcResult";
}

std::string status_of(const std::string& module) {
  if (module == "driver") return "CUresult";
  return module == "runtime" ? "cudaError_t" : "nvrtcResult";
}

void fill_result(const facts::Function& function, const FunctionContext& context, FunctionPlan& plan) {
  plan.status = status_of(function.module);
  if (is_status(function.returns)) return;
  const auto type = context.table.resolve(function.returns, function.module);
  if (type.category == Category::number && type.name == "char" && type.depth == 1) {
    plan.result = "string";
  } else if (type.category == Category::record && type.depth == 0) {
    plan.result = "record";
    plan.result_type = type.id;
    // The inline constructors have no status to report.
    plan.is_bare = function.is_inline;
  } else {
    context.diagnostics.add("E205", context.places.of("function", function.name),
                            function.name + " returns " + function.returns + ", for which there is no conversion");
  }
}

std::string release_text(const std::array<int, 2>& since) {
  return std::to_string(since[0]) + "." + std::to_string(since[1]);
}

}  // namespace

std::string prototype_of(const facts::Function& function) {
  std::string params;
  for (const auto& param : function.params) params += (params.empty() ? "" : ", ") + spaced(param.type, param.name);
  return spaced(function.returns, function.link) + "(" + (params.empty() ? "void" : params) + ")";
}

FunctionPlan plan_function(const facts::Function& function, std::vector<Decision>& decisions,
                           const FunctionContext& context) {
  FunctionPlan plan;
  plan.name = function.name;
  plan.module = function.module;
  plan.link = function.link;
  plan.ptds = function.ptds;
  plan.is_deprecated = function.is_deprecated;
  plan.group = function.group;
  plan.is_inline = function.is_inline;
  plan.prototype = prototype_of(function);
  plan.returns = function.returns;
  if (function.since)
    plan.since = release_text(*function.since);
  else if (const auto seen = context.data.first_seen.find(function.link); seen != context.data.first_seen.end())
    plan.since = seen->second;
  if (const auto abi = context.data.abi_since.find(function.link); abi != context.data.abi_since.end())
    plan.abi_since = abi->second;
  if (context.data.gil_held.count(function.name)) plan.gil = "hold";
  if (const auto older = context.data.overloads.find(function.name); older != context.data.overloads.end())
    plan.overload = older->second;
  if (function.link != function.name && !context.by_name.count(function.link)) plan.aliases.push_back(function.link);
  fill_result(function, context, plan);
  const Signature signature(function, decisions, context);
  plan.arguments = signature.arguments();
  plan.outputs = signature.outputs();
  plan.call = signature.call();
  plan.callbacks = signature.callbacks();
  for (const auto& decision : decisions) plan.params.push_back(decision.plan);
  return plan;
}

}  // namespace bindgen::plan
