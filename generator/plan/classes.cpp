// SPDX-License-Identifier: Apache-2.0
// Makes the class lists: handles, then enums; records have their own file.
#include "plan/classes.hpp"

#include <algorithm>
#include <set>

#include "plan/record_classes.hpp"

namespace bindgen::plan {
namespace {

const std::vector<std::string> api_modules = {"driver", "runtime", "nvrtc"};

// The base names that a module's functions spell, for interop types that no API owns.
std::set<std::string> spelled_types(const facts::Facts& facts, const std::string& module) {
  std::set<std::string> names;
  for (const auto& function : facts.functions) {
    if (function.module != module || !function.visibility.empty()) continue;
    for (const auto& param : function.params) names.insert(parse_type(param.type).name());
  }
  return names;
}

std::string handle_kind(const std::string& name, const TypeTable& table) {
  if (table.handle(name)) return "pointer";
  if (table.callback(name)) return "function";
  if (const auto* alias = table.alias(name)) {
    const auto type = parse_type(alias->type);
    if (type.is_function_pointer) return "unsigned64";
    if (type.depth() > 0) return "pointer";
  }
  const auto native = native_of(table.underlying(name));
  if (native == "int") return "signed32";
  return native == "uint" ? "unsigned32" : "unsigned64";
}

bool is_handle_like(const facts::Typedef& alias, const TypeTable& table) {
  if (table.is_integer_like(alias.name)) return true;
  const auto type = parse_type(alias.type);
  return alias.module == "interop" && (type.is_function_pointer || type.depth() > 0);
}

struct NamedClass {
  std::string name;
  std::string module;
};

std::vector<NamedClass> handle_names(const facts::Facts& facts, const TypeTable& table) {
  std::vector<NamedClass> list;
  for (const auto& fact : facts.handles) list.push_back({fact.name, fact.module});
  for (const auto& fact : facts.callbacks) list.push_back({fact.name, fact.module});
  for (const auto& module : api_modules) {
    const auto spelled = spelled_types(facts, module);
    for (const auto& fact : facts.typedefs) {
      if (!is_handle_like(fact, table)) continue;
      if (fact.module == module || (fact.module == "interop" && spelled.count(fact.name)))
        list.push_back({fact.name, module});
    }
  }
  return list;
}

std::vector<NamedClass> enum_names(const facts::Facts& facts, const TypeTable& table) {
  std::vector<NamedClass> list;
  for (const auto& fact : facts.enums) list.push_back({fact.name, fact.module});
  for (const auto& fact : facts.typedefs) {
    const auto* target = table.enumeration(fact.name);
    if (target && target->name != fact.name && target->tag != fact.name) list.push_back({fact.name, fact.module});
  }
  return list;
}

// Other classes whose values an argument of this class may be: twins of one C tag or name, and the rows of casts.toml.
std::vector<std::string> accepted_by(const HandleClass& handle, const std::vector<HandleClass>& all,
                                     const ClassData& data, const TypeTable& table) {
  std::set<std::string> accepted;
  const auto* own = table.handle(handle.name);
  for (const auto& other : all) {
    if (other.id == handle.id) continue;
    const auto* fact = table.handle(other.name);
    if (own && fact && own->tag == fact->tag && own->is_const == fact->is_const) accepted.insert(other.id);
    if (other.name == handle.name) accepted.insert(other.id);
  }
  for (const auto& row : data.casts) {
    if (std::find(row.arguments.begin(), row.arguments.end(), handle.name) == row.arguments.end()) continue;
    for (const auto& other : all) {
      const bool taken = std::find(row.takes.begin(), row.takes.end(), other.name) != row.takes.end();
      if (taken && other.id != handle.id) accepted.insert(other.id);
    }
  }
  return {accepted.begin(), accepted.end()};
}

void add_handles(const facts::Facts& facts, const ClassData& data, const TypeTable& table, Plan& plan) {
  for (const auto& [name, module] : handle_names(facts, table)) {
    HandleClass handle;
    handle.name = name;
    handle.module = module;
    handle.id = table.id_of(name, module);
    const auto kind = data.handle_kinds.find(name);
    handle.kind = kind == data.handle_kinds.end() ? handle_kind(name, table) : kind->second;
    const auto* alias = table.alias(name);
    handle.c_type = alias && parse_type(alias->type).is_function_pointer ? name + " *" : name;
    if (const auto base = data.handle_bases.find(name); base != data.handle_bases.end()) handle.base = base->second;
    if (data.none_refused.count(name)) handle.none = "refuse";
    plan.handles.push_back(std::move(handle));
  }
  const auto order = [](const HandleClass& handle) {
    const auto module = std::find(api_modules.begin(), api_modules.end(), handle.module) - api_modules.begin();
    return std::make_tuple(module, handle.name);
  };
  std::sort(plan.handles.begin(), plan.handles.end(),
            [&](const HandleClass& left, const HandleClass& right) { return order(left) < order(right); });
  const auto all = plan.handles;
  for (auto& handle : plan.handles) handle.accepts = accepted_by(handle, all, data, table);
}

void add_enums(const facts::Facts& facts, const TypeTable& table, Plan& plan) {
  for (const auto& [name, module] : enum_names(facts, table)) {
    const auto* fact = table.enumeration(name);
    EnumClass entry;
    entry.name = name;
    entry.module = module;
    entry.id = table.id_of(name, module);
    const bool has_typedef = table.alias(name) != nullptr || fact->tag != fact->name;
    entry.c_type = has_typedef ? name : "enum " + fact->tag;
    entry.group = table.id_of(fact->name, module);
    entry.is_signed = fact->underlying == "int";
    entry.values = fact->values;
    plan.enums.push_back(std::move(entry));
  }
  const auto order = [](const EnumClass& entry) {
    const auto module = std::find(api_modules.begin(), api_modules.end(), entry.module) - api_modules.begin();
    return std::make_tuple(module, entry.name);
  };
  std::sort(plan.enums.begin(), plan.enums.end(),
            [&](const EnumClass& left, const EnumClass& right) { return order(left) < order(right); });
}

}  // namespace

void add_classes(const facts::Facts& facts, const ClassData& data, TypeTable& table, Plan& plan,
                 Diagnostics& diagnostics) {
  for (const auto& [name, module] : handle_names(facts, table)) table.add_class(module, name);
  for (const auto& [name, module] : enum_names(facts, table)) table.add_class(module, name);
  register_record_classes(facts, table);
  add_handles(facts, data, table, plan);
  add_enums(facts, table, plan);
  add_record_classes(facts, data, table, plan, diagnostics);
}

}  // namespace bindgen::plan
