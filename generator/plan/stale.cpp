// SPDX-License-Identifier: Apache-2.0
// Looks every row's name up.
#include "plan/stale.hpp"

#include <set>

namespace bindgen::plan {
namespace {

class Checker {
 public:
  Checker(std::string file, const std::set<std::string>& known, Diagnostics& diagnostics)
      : file_(std::move(file)), known_(known), diagnostics_(diagnostics) {}

  void name(const std::string& name) const {
    if (known_.count(name)) return;
    diagnostics_.add("E202", "generator/data/" + file_, "the row " + name + " names nothing that the facts have",
                     "remove it");
  }

  template <typename Map>
  void keys(const Map& map) const {
    for (const auto& [key, value] : map) name(key);
  }

 private:
  std::string file_;
  const std::set<std::string>& known_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_stale_rows(const facts::Facts& facts, const ClassData& classes, const FunctionData& data, const Plan& plan,
                      Diagnostics& diagnostics) {
  std::set<std::string> members, handles, functions, parameters, links;
  for (const auto& record : facts.records) {
    for (const auto& field : record.fields) members.insert(record.name + "." + field.name);
  }
  for (const auto& handle : plan.handles) handles.insert(handle.name);
  for (const auto& function : plan.functions) {
    functions.insert(function.name);
    links.insert(function.link);
    for (const auto& param : function.params) parameters.insert(function.name + "." + param.name);
  }
  const Checker class_members("classes.toml", members, diagnostics);
  class_members.keys(classes.list_members);
  class_members.keys(classes.field_kinds);
  Checker("callbacks.toml", members, diagnostics).keys(classes.callback_members);
  const Checker class_handles("classes.toml", handles, diagnostics);
  class_handles.keys(classes.handle_bases);
  class_handles.keys(classes.handle_kinds);
  for (const auto& name : classes.none_refused) class_handles.name(name);
  const Checker casts("casts.toml", handles, diagnostics);
  for (const auto& row : classes.casts) {
    for (const auto& name : row.arguments) casts.name(name);
    for (const auto& name : row.takes) casts.name(name);
  }
  Checker("conversions.toml", parameters, diagnostics).keys(data.addresses);
  const Checker callbacks("callbacks.toml", parameters, diagnostics);
  callbacks.keys(data.callbacks.given);
  for (const auto& [given, row] : data.callbacks.given) {
    const auto function = given.substr(0, given.find('.') + 1);
    for (const auto& name : {row.user_data, row.stream, row.key, row.graph}) {
      if (!name.empty()) callbacks.name(function + name);
    }
    if (!row.until.empty()) callbacks.name(row.until);
  }
  Checker("gil.toml", functions, diagnostics).keys(data.gil_held);
  Checker("names.toml", functions, diagnostics).keys(data.overloads);
  Checker("abi_since.toml", links, diagnostics).keys(data.abi_since);
  const Checker first_seen("first_seen.toml", links, diagnostics);
  for (const auto& [link, release] : data.first_seen) {
    if (!is_before(plan.release, release)) first_seen.name(link);
  }
}

}  // namespace bindgen::plan
