// SPDX-License-Identifier: Apache-2.0
// Arguments that are callbacks, and what is done around the call so that each is kept as long as CUDA may call it.
#include "plan/callbacks.hpp"
#include "plan/conversions.hpp"

namespace bindgen::plan {
namespace {

std::string row_to_paste(const std::string& name, const std::string& user_data) {
  return "  [[callback]]\n  given     = [\"" + name + "\"]\n" + user_data +
         "  lifetime  = \"...\"\n  reason    = \"...\"";
}

}  // namespace

const CallbackRow* Signature::callback_row(std::size_t parameter) const {
  const auto& rows = context_.data.callbacks.given;
  const auto found = rows.find(function_.name + "." + decisions_[parameter].fact->name);
  return found == rows.end() ? nullptr : &found->second;
}

std::optional<std::size_t> Signature::callback_of_user_data(std::size_t parameter) const {
  for (std::size_t at = 0; at < decisions_.size(); ++at) {
    const auto* row = callback_row(at);
    if (row && row->user_data == decisions_[parameter].fact->name) return at;
  }
  return std::nullopt;
}

bool Signature::is_callback(std::size_t parameter) const {
  return decisions_[parameter].plan.role == "in" &&
         callback_class(context_.plan, function_, decisions_[parameter]) != nullptr;
}

Argument Signature::callback_argument(std::size_t parameter) const {
  const auto& decision = decisions_[parameter];
  const auto* callback = callback_class(context_.plan, function_, decision);
  const auto* row = callback_row(parameter);
  if (row == nullptr) {
    const auto name = function_.name + "." + decision.fact->name;
    refuse_callback(context_.places.of("function", function_.name), name, decision.fact->type,
                    row_to_paste(name, "  user_data = \"...\"\n"), context_.diagnostics);
  }
  const auto user_data = row ? parameter_named(row->user_data) : std::nullopt;
  Argument argument;
  argument.convert = "callback";
  argument.details = {{"type", callback->id},
                      {"user_data", user_data ? Json(python_name(*user_data)) : Json(nullptr)},
                      {"nullable", true}};
  // Without a class of its own it may be any address.
  argument.annotation = callable_annotation(*callback) + " | None";
  argument.annotation = (callback->is_named ? decision.resolved.name : "int") + " | " + argument.annotation;
  return argument;
}

Argument Signature::user_data_argument(std::size_t callback) const {
  Argument argument;
  argument.convert = "user_data";
  argument.details = {{"callback", python_name(callback)}, {"nullable", true}};
  argument.annotation = "Any";
  return argument;
}

std::vector<Json> Signature::callbacks() const {
  std::vector<Json> list;
  const auto argument = [&](const std::string& c_name) {
    const auto found = parameter_named(c_name);
    return found ? Json(python_name(*found)) : Json(nullptr);
  };
  for (std::size_t at = 0; at < decisions_.size(); ++at) {
    const auto& decision = decisions_[at];
    const auto name = function_.name + "." + decision.fact->name;
    if (const auto* row = callback_row(at)) {
      Json output = nullptr;
      for (std::size_t other = 0; other < decisions_.size(); ++other) {
        if (row->lifetime == "registered" && row->key.empty() && output_of_[other] >= 0) output = output_of_[other];
      }
      list.push_back({{"lifetime", row->lifetime},
                      {"argument", python_name(at)},
                      {"stream", argument(row->stream)},
                      {"key", argument(row->key)},
                      {"output", output},
                      {"graph", argument(row->graph)},
                      {"callback", nullptr}});
    } else if (decision.plan.role == "in" && decision.resolved.category == Category::record &&
               has_callback_member(context_.plan, decision.resolved.id)) {
      refuse_callback(context_.places.of("function", function_.name), name, decision.fact->type, row_to_paste(name, ""),
                      context_.diagnostics);
    }
    for (const auto& [given, row] : context_.data.callbacks.given) {
      if (row.until != name) continue;
      list.push_back({{"lifetime", "ends"},
                      {"argument", python_name(at)},
                      {"stream", nullptr},
                      {"key", nullptr},
                      {"output", nullptr},
                      {"graph", nullptr},
                      {"callback", registered_class(given)}});
    }
  }
  return list;
}

// "cuLogsRegisterCallback.callbackFunc" -> CUlogsCallback
std::string Signature::registered_class(const std::string& given) const {
  const auto dot = given.find('.');
  const auto function = context_.by_name.find(given.substr(0, dot));
  if (function == context_.by_name.end()) return {};
  for (const auto& param : function->second->params) {
    if (param.name != given.substr(dot + 1)) continue;
    const auto type = parse_type(param.type);
    return type.is_function_pointer ? function->first + "_" + param.name
                                    : context_.table.id_of(type.name(), function->second->module);
  }
  return {};
}

}  // namespace bindgen::plan
