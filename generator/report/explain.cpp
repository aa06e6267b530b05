// SPDX-License-Identifier: Apache-2.0
// Prints a function's facts, then each parameter with every rule that was asked, then the Python signature.
#include "report/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bindgen::report {
namespace {

std::string use_of(const plan::FunctionPlan& plan, std::size_t parameter) {
  const auto& slot = plan.call[parameter];
  const auto at = static_cast<std::size_t>(slot.index);
  if (slot.feed == "argument") {
    const auto& argument = plan.arguments[at];
    return fmt::format("argument {} ({}): {}", argument.python, argument.convert, argument.annotation);
  }
  if (slot.feed == "output" && plan.outputs[at].produce == "capacity_count") {
    const auto& argument = plan.arguments[plan.outputs[at].details.at("capacity_from").get<std::size_t>()];
    return fmt::format("argument {} (capacity): {}, and output {}: {}", argument.python, argument.annotation, at + 1,
                       plan.outputs[at].annotation);
  }
  if (slot.feed == "output")
    return fmt::format("output {} ({}): {}", at + 1, plan.outputs[at].produce, plan.outputs[at].annotation);
  return fmt::format("{} of {} {}", slot.part, slot.feed == "part" ? "argument" : "output", at + 1);
}

std::string parameter_text(const plan::FunctionPlan& plan, std::size_t index, const plan::Decision& decision) {
  const auto& param = decision.plan;
  std::string text = fmt::format("\n  {} {}\n", param.c_type, param.name);
  if (param.is_pointer) {
    text += fmt::format("    documentation: {}\n    decided: {}, alloc {}, rank {}, by {}{}\n", decision.fact->doc,
                        param.role, param.alloc, param.rank, decision.rule, decision.is_weak ? " (weak)" : "");
    for (const auto& line : decision.trace) text += "      " + line + "\n";
    if (param.length_from) text += "    length from: " + *param.length_from + "\n";
  }
  return text + "    " + use_of(plan, index) + "\n";
}

}  // namespace

std::string python_signature(const plan::FunctionPlan& plan) {
  std::string arguments;
  for (const auto& argument : plan.arguments) {
    arguments += (arguments.empty() ? "" : ", ") + argument.python + ": " + argument.annotation;
    if (argument.default_value) arguments += " = " + std::to_string(*argument.default_value);
  }
  if (plan.is_bare) return plan.name + "(" + arguments + ") -> " + plan.result_type;
  auto outputs = plan.status;
  if (plan.result == "string") outputs += ", bytes";
  if (plan.result == "record") outputs += ", " + plan.result_type;
  for (const auto& output : plan.outputs) outputs += ", " + output.annotation;
  return plan.name + "(" + arguments + ") -> tuple[" + outputs + "]";
}

std::string explain(const plan::FunctionPlan& plan, const plan::FunctionDecisions& decisions,
                    const plan::Places& places) {
  auto text = fmt::format("{}  ({}, {})\n", plan.name, plan.module, places.of("function", plan.name));
  text += "  C:       " + plan.prototype + "\n  Python:  " + python_signature(plan) + "\n";
  text += "  symbol:  " + plan.link + (plan.ptds.empty() ? "" : ", per-thread default stream: " + plan.ptds) + "\n";
  text += "  since:   " + plan.since.value_or("the first release that is known of") + "\n";
  if (plan.abi_since)
    text += "  changed in place in " + *plan.abi_since + ": an older library's function of this name is not called\n";
  text += "  GIL:     " + plan.gil + "\n";
  for (const auto& alias : plan.aliases) text += "  alias:   " + alias + "\n";
  if (!plan.overload.empty()) text += "  older form, by the number of arguments: " + plan.overload + "\n";
  if (plan.is_deprecated) text += "  deprecated\n";
  for (std::size_t at = 0; at < decisions.parameters.size(); ++at)
    text += parameter_text(plan, at, decisions.parameters[at]);
  return text;
}

}  // namespace bindgen::report
