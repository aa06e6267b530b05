// SPDX-License-Identifier: Apache-2.0
// Makes the record classes in an order in which bases and nested classes come first.
#include "plan/record_classes.hpp"

#include <algorithm>
#include <set>

#include "plan/fields.hpp"

namespace bindgen::plan {
namespace {

struct Name {
  std::string name;  // of the class
  std::string module;
  std::string base;  // name of the class it derives from, or empty
  const facts::Record* fact = nullptr;
};

// Both APIs declare CUuuid_st: each module has a class of its own.
std::vector<std::string> modules_of(const std::string& fact_module) {
  if (fact_module == "shared") return {"driver", "runtime"};
  return {fact_module};
}

bool is_flattened(const facts::Record& record) { return record.name.find("::@") != std::string::npos; }

std::vector<Name> record_names(const facts::Facts& facts, const TypeTable& table) {
  std::vector<Name> list;
  for (const auto& fact : facts.records) {
    if (is_flattened(fact)) continue;
    for (const auto& module : modules_of(fact.module))
      list.push_back({record_class_name(fact.name), module, {}, &fact});
  }
  for (const auto& alias : facts.typedefs) {
    const auto* fact = table.record(alias.name);
    if (!fact || parse_type(alias.type).depth() > 0 || fact->name == alias.name) continue;
    for (const auto& module : modules_of(alias.module)) {
      list.push_back({alias.name, module, without_keyword(alias.type), fact});
    }
  }
  return list;
}

// The parent's member that has this type, as a C expression: CUDA_RESOURCE_DESC_st::res -> ((struct P *)0)->res
std::string member_expression(const facts::Record& record, const facts::Facts& facts) {
  auto path = record.name;
  if (!record.nested_in.empty()) {
    for (const auto& parent : facts.records) {
      if (parent.name != record.nested_in) continue;
      for (const auto& field : parent.fields) {
        if (without_keyword(field.type) == record.name) path = parent.name + "::" + field.name;
      }
    }
  }
  const auto end = path.find("::");
  auto parent = path.substr(0, end);
  auto members = path.substr(end + 2);
  for (auto at = members.find("::"); at != std::string::npos; at = members.find("::")) members.replace(at, 2, ".");
  for (const auto& fact : facts.records) {
    if (fact.name == parent) parent = (fact.is_union ? "union " : "struct ") + parent;
  }
  return "((" + parent + " *)0)->" + members;
}

std::string c_type_of(const Name& name, const facts::Facts& facts, const TypeTable& table) {
  if (name.fact->is_anonymous || !name.fact->nested_in.empty()) {
    return "__typeof__(" + member_expression(*name.fact, facts) + ")";
  }
  return table.alias(name.name) ? name.name : (name.fact->is_union ? "union " : "struct ") + name.fact->name;
}

RecordClass record_class(const Name& name, const facts::Facts& facts, const ClassData& data, const TypeTable& table,
                         Diagnostics& diagnostics) {
  RecordClass record;
  record.name = name.name;
  record.module = name.module;
  record.id = table.id_of(name.name, name.module);
  record.c_type = c_type_of(name, facts, table);
  record.is_union = name.fact->is_union;
  record.size = name.fact->size;
  record.align = name.fact->align;
  record.is_nested = name.fact->is_anonymous;
  if (name.base.empty())
    record.fields = fields_of(*name.fact, name.module, data, table, diagnostics);
  else
    record.base = table.id_of(name.base, name.module);
  return record;
}

class Orderer {
 public:
  explicit Orderer(std::vector<RecordClass> all) : all_(std::move(all)) {}

  std::vector<RecordClass> ordered() {
    for (const auto& record : all_) place(record);
    return std::move(placed_);
  }

 private:
  void place(const RecordClass& record) {
    if (!seen_.insert(record.id).second) return;
    if (record.base) place_id(*record.base);
    for (const auto& field : record.fields) {
      if (field.kind == "record") place_id(*field.type);
    }
    placed_.push_back(record);
  }

  void place_id(const std::string& id) {
    for (const auto& record : all_) {
      if (record.id == id) place(record);
    }
  }

  std::vector<RecordClass> all_;
  std::vector<RecordClass> placed_;
  std::set<std::string> seen_;
};

}  // namespace

std::string record_class_name(const std::string& fact_name) {
  auto name = fact_name;
  for (auto at = name.find("::"); at != std::string::npos; at = name.find("::")) name.replace(at, 2, "_");
  return name;
}

void register_record_classes(const facts::Facts& facts, TypeTable& table) {
  for (const auto& name : record_names(facts, table)) table.add_class(name.module, name.name);
}

void add_record_classes(const facts::Facts& facts, const ClassData& data, const TypeTable& table, Plan& plan,
                        Diagnostics& diagnostics) {
  std::vector<RecordClass> all;
  for (const auto& name : record_names(facts, table)) {
    all.push_back(record_class(name, facts, data, table, diagnostics));
  }
  std::stable_sort(all.begin(), all.end(), [](const RecordClass& left, const RecordClass& right) {
    return std::tie(left.module, left.name) < std::tie(right.module, right.name);
  });
  plan.records = Orderer(std::move(all)).ordered();
}

}  // namespace bindgen::plan
