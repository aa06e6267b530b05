// SPDX-License-Identifier: Apache-2.0
// Reads callback types: every argument gets the conversion by which Python's callable is told it.
#include "plan/callbacks.hpp"

#include <algorithm>

namespace bindgen::plan {
namespace {

// "int (*)(void *, void *)" as the fact that a typedef of it would be.
facts::Callback spelled_in_place(const facts::Function& function, const facts::Parameter& parameter) {
  const auto& type = parameter.type;
  const auto star = type.find("(*)");
  facts::Callback fact{function.name + "_" + parameter.name, function.module, type.substr(0, star), {}};
  while (fact.returns.ends_with(' ')) fact.returns.pop_back();
  std::string word;
  int depth = 0;
  for (auto at = star + 4; at < type.size(); ++at) {
    depth += type[at] == '(' ? 1 : type[at] == ')' ? -1 : 0;
    if (depth < 0 || (depth == 0 && type[at] == ',')) {
      if (!word.empty() && word != "void") fact.params.push_back({"", word, "none"});
      word.clear();
    } else if (!word.empty() || type[at] != ' ') {
      word += type[at];
    }
  }
  return fact;
}

std::string prototype(const facts::Callback& fact) {
  std::string params;
  for (const auto& param : fact.params) params += (params.empty() ? "" : ", ") + param.type;
  return fact.returns + " (*)(" + (params.empty() ? "void" : params) + ")";
}

class Reader {
 public:
  Reader(const facts::Callback& fact, const TypeTable& table, const std::string& place, Diagnostics& diagnostics)
      : fact_(fact), table_(table), place_(place), diagnostics_(diagnostics) {}

  CallbackClass read(bool is_named) {
    CallbackClass callback;
    callback.id = table_.id_of(fact_.name, fact_.module);
    callback.name = fact_.name;
    callback.module = fact_.module;
    callback.is_named = is_named;
    callback.prototype = prototype(fact_);
    callback.returns = fact_.returns;
    if (fact_.returns != "void" && native_of(fact_.returns).empty()) refuse("result", fact_.returns);
    for (std::size_t at = 0; at < fact_.params.size(); ++at) callback.arguments.push_back(argument(at));
    // Text is handed over with its length behind it.
    for (std::size_t at = 0; at + 1 < callback.arguments.size(); ++at) {
      if (callback.arguments[at].kind == "text") callback.arguments[++at].kind = "length";
    }
    return callback;
  }

 private:
  CallbackArgument argument(std::size_t at) {
    const auto& param = fact_.params[at];
    const auto type = table_.resolve(param.type, fact_.module);
    CallbackArgument argument{param.name, "address", "void *", std::nullopt, "int"};
    const auto classed = [&](const std::string& kind) {
      argument.kind = kind;
      argument.type = type.id;
      argument.annotation = type.name;
      if (kind == "enumeration") argument.c_type = "int";
      if (kind == "handle" && table_.is_integer_like(type.name)) argument.c_type = table_.underlying(type.name);
    };
    if (type.category == Category::nothing && type.depth == 1) {
      // The first untyped pointer is what the program gave.
      if (!std::exchange(has_user_data_, true)) argument = {param.name, "user_data", "void *", std::nullopt, "Any"};
    } else if (type.category == Category::handle && type.depth == 0) {
      classed("handle");
    } else if (type.category == Category::enumeration && type.depth == 0) {
      classed("enumeration");
    } else if (type.category == Category::record && type.depth == 1) {
      classed("record");
    } else if (type.category == Category::number && type.name == "char" && type.depth == 1 && is_counted(at)) {
      argument = {param.name, "text", "void *", std::nullopt, "bytes"};
    } else if (type.category == Category::number && type.depth == 0 && type.name != "float" && type.name != "double") {
      const bool is_unsigned = type.name.starts_with('u') || type.name == "size";
      argument.kind = is_unsigned ? "unsigned_number" : "signed_number";
      argument.c_type = param.type;
    } else {
      refuse("parameter " + std::to_string(at), param.type);
    }
    return argument;
  }

  bool is_counted(std::size_t at) const {
    return at + 1 < fact_.params.size() && fact_.params[at + 1].type == "size_t";
  }

  void refuse(const std::string& what, const std::string& type) {
    diagnostics_.add("E221", place_,
                     "no conversion for the " + what + " of the callback " + fact_.name + " (" + type + ")");
  }

  const facts::Callback& fact_;
  const TypeTable& table_;
  const std::string& place_;
  Diagnostics& diagnostics_;
  bool has_user_data_ = false;
};

}  // namespace

void add_callback_classes(const facts::Facts& facts, const std::vector<const facts::Function*>& functions,
                          const FunctionData& data, const TypeTable& table, const Places& places, Plan& plan,
                          Diagnostics& diagnostics) {
  for (const auto& fact : facts.callbacks) {
    plan.callbacks.push_back(Reader(fact, table, places.of("callback", fact.name), diagnostics).read(true));
  }
  for (const auto* function : functions) {
    for (const auto& param : function->params) {
      if (!parse_type(param.type).is_function_pointer) continue;
      const auto fact = spelled_in_place(*function, param);
      const auto place = places.of("function", function->name);
      plan.callbacks.push_back(Reader(fact, table, place, diagnostics).read(false));
      const auto row = data.callbacks.given.find(function->name + "." + param.name);
      if (row != data.callbacks.given.end()) plan.callbacks.back().failed = row->second.failed;
    }
  }
}

const CallbackClass* callback_class(const Plan& plan, const facts::Function& function, const Decision& decision) {
  const bool in_place = decision.type.is_function_pointer;
  const auto name = in_place ? function.name + "_" + decision.fact->name : decision.resolved.name;
  if (!in_place && (decision.resolved.category != Category::handle || decision.resolved.depth != 0)) return nullptr;
  const auto found = std::find_if(plan.callbacks.begin(), plan.callbacks.end(), [&](const CallbackClass& callback) {
    return callback.name == name && callback.is_named != in_place;
  });
  return found == plan.callbacks.end() ? nullptr : &*found;
}

std::string callable_annotation(const CallbackClass& callback) {
  std::string arguments;
  for (const auto& argument : callback.arguments) arguments += (arguments.empty() ? "" : ", ") + argument.annotation;
  return "Callable[[" + arguments + "], " + (callback.returns == "void" ? "object" : "int") + "]";
}

bool has_callback_member(const Plan& plan, const std::string& record_id) {
  const auto found = std::find_if(plan.records.begin(), plan.records.end(),
                                  [&](const RecordClass& record) { return record.id == record_id; });
  if (found == plan.records.end()) return false;
  if (found->fields.empty() && found->base) return has_callback_member(plan, *found->base);
  return std::any_of(found->fields.begin(), found->fields.end(), [&](const FieldPlan& field) {
    return field.kind == "callback" || (field.kind == "record" && has_callback_member(plan, *field.type));
  });
}

void refuse_callback(const std::string& place, const std::string& name, const std::string& c_type,
                     const std::string& row, Diagnostics& diagnostics) {
  diagnostics.add("E220", place, "nobody says how long CUDA may call " + name + " (" + c_type + ")",
                  "add to generator/data/callbacks.toml:\n" + row);
}

}  // namespace bindgen::plan
