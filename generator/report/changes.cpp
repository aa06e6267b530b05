// SPDX-License-Identifier: Apache-2.0
// Compares two releases by name, kind after kind.
#include "report/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

#include "plan/data.hpp"
#include "plan/fields.hpp"
#include "plan/type_spelling.hpp"

namespace bindgen::report {
namespace {

template <typename Fact>
std::map<std::string, const Fact*> by_name(const std::vector<Fact>& facts) {
  std::map<std::string, const Fact*> map;
  for (const auto& fact : facts) map[fact.name] = &fact;
  return map;
}

// Sentinels count what stands before them, and version numbers are the release's own: both grow with it.
bool is_free_to_grow(const std::string& name) {
  return name.ends_with("_MAX") || name.ends_with("Max") || name.ends_with("_NUM_OPTIONS") ||
         name.ends_with("_VERSION");
}

std::string field_text(const facts::Field& field) {
  const auto array = field.array ? fmt::format("[{}]", *field.array) : "";
  return fmt::format("{} {}{} at {}", plan::without_keyword(field.type), field.name, array, field.bits / 8);
}

std::string types_of(const facts::Callback& callback) {
  auto text = callback.returns;
  for (const auto& param : callback.params) text += ", " + param.type;
  return text;
}

std::vector<std::string> names_of(const facts::Function& function) {
  std::vector<std::string> names;
  for (const auto& param : function.params) names.push_back(param.name);
  return names;
}

std::string release_text(const facts::Function& function) {
  return function.since ? fmt::format("{}.{}", (*function.since)[0], (*function.since)[1]) : "no release";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return "(" + text + ")";
}

class Comparison {
 public:
  Comparison(const facts::Facts& older, const facts::Facts& newer, const Step& step,
             const std::map<std::string, std::string>& accepted, const plan::Places& places, Diagnostics& diagnostics)
      : older_(older),
        newer_(newer),
        step_(step),
        accepted_(accepted),
        places_(places),
        diagnostics_(diagnostics),
        is_new_major_(std::atoi(step.from.c_str()) != std::atoi(step.to.c_str())) {}

  void run() {
    functions();
    records();
    enums();
    types();
    constants();
    unused_rows();
  }

 private:
  void report(const char* code, const std::string& kind, const std::string& name, const std::string& row,
              const std::string& what) {
    const auto known = accepted_.find(row);
    const bool is_accepted = known != accepted_.end() && plan::is_before(step_.from, known->second) &&
                             !plan::is_before(step_.to, known->second);
    if (is_accepted) {
      used_.insert(row);
      return;
    }
    diagnostics_.add(code, places_.of(kind, name), what,
                     "where programs and older libraries can live with it, add to generator/data/changes.toml:\n  [\"" +
                         step_.to + "\"]\n  names  = [\"" + row + "\"]\n  reason = \"...\"");
  }

  void gone(const std::string& kind, const std::string& name) {
    if (!is_new_major_) report("E216", kind, name, name, "the " + kind + " " + name + " of " + step_.from + " is gone");
  }

  void functions() {
    std::map<std::string, const facts::Function*> links;
    for (const auto& function : newer_.functions) links[function.link] = &function;
    std::map<std::string, const facts::Function*> names;  // what programs see
    for (const auto& function : newer_.functions) {
      if (function.visibility.empty()) names[function.name] = &function;
    }
    for (const auto& before : older_.functions) {
      const auto link = links.find(before.link);
      const auto name = names.find(before.name);
      if (link != links.end()) parameters(before, *link->second);
      if (before.visibility.empty() && name != names.end())
        meaning(before, *name->second);
      else if (before.visibility.empty())
        gone("function", before.name);
      else if (link == links.end())
        gone("function", before.link);
    }
  }

  // Python takes them as keywords, and two of one type that change places are seen by nobody else.
  void parameters(const facts::Function& before, const facts::Function& now) {
    const auto was = names_of(before);
    const auto is = names_of(now);
    if (was == is || was.size() != is.size()) return;  // another number of them is a prototype changed in place
    report("E211", "function", now.name, now.link,
           now.link + " names its parameters otherwise: was " + joined(was) + ", is " + joined(is));
  }

  void meaning(const facts::Function& before, const facts::Function& now) {
    if (before.link == now.link && before.since && before.since != now.since)
      report("E218", "function", now.name, now.name,
             now.link + " was introduced in " + release_text(before) + ", now in " + release_text(now));
    if (before.link != now.link)
      report("E217", "function", now.name, now.name, now.name + " meant " + before.link + ", now means " + now.link);
    else if (before.ptds != now.ptds && !before.ptds.empty())
      report("E217", "function", now.name, now.name,
             now.name + " had the per-thread twin " + before.ptds + ", now \"" + now.ptds + "\"");
  }

  void records() {
    const auto now = by_name(newer_.records);
    for (const auto& before : older_.records) {
      const auto found = now.find(before.name);
      if (found == now.end())
        gone("record", before.name);
      else if (const auto difference = difference_of(before, *found->second); !difference.empty())
        report("E212", "record", before.name, before.name, before.name + " changed in place: " + difference);
    }
  }

  // What was reserved may become a member, and alignment may grow; all else stays where it was.
  static std::string difference_of(const facts::Record& before, const facts::Record& now) {
    if (before.is_union != now.is_union) return now.is_union ? "is a union now" : "is a struct now";
    std::set<std::string> fields;
    for (const auto& field : now.fields) fields.insert(field_text(field));
    for (const auto& field : before.fields) {
      if (!plan::is_hidden_member(field.name) && !fields.count(field_text(field)))
        return "no more \"" + field_text(field) + "\"";
    }
    if (before.size != now.size) return fmt::format("had {} bytes, has {}", before.size, now.size);
    if (before.align > now.align) return fmt::format("was aligned to {}, is to {}", before.align, now.align);
    return {};
  }

  void enums() {
    const auto now = by_name(newer_.enums);
    for (const auto& before : older_.enums) {
      const auto found = now.find(before.name);
      if (found == now.end())
        gone("enum", before.name);
      else
        enumerators(before, *found->second);
    }
  }

  void enumerators(const facts::Enum& before, const facts::Enum& now) {
    const std::map<std::string, std::int64_t> values(now.values.begin(), now.values.end());
    for (const auto& [name, value] : before.values) {
      const auto found = values.find(name);
      if (found != values.end() && (found->second == value || is_free_to_grow(name))) continue;
      const auto is = found == values.end() ? "is gone" : "is " + std::to_string(found->second);
      if (found == values.end() && is_new_major_) continue;
      report("E213", "enum", now.name, before.name + "." + name,
             "the enumerator " + name + " of " + now.name + " was " + std::to_string(value) + ", " + is);
    }
  }

  void types() {
    struct Named {
      std::string kind;
      std::string text;
    };
    std::map<std::string, Named> now;
    for (const auto& fact : newer_.typedefs) now[fact.name] = {"typedef", type_text(fact)};
    for (const auto& fact : newer_.handles) now[fact.name] = {"handle", type_text(fact)};
    for (const auto& fact : newer_.callbacks) now[fact.name] = {"callback", type_text(fact)};
    const auto compare = [&](const std::string& kind, const auto& facts) {
      for (const auto& fact : facts) {
        const auto found = now.find(fact.name);
        if (found == now.end())
          gone(kind, fact.name);
        else if (found->second.text != type_text(fact))
          report("E214", found->second.kind, fact.name, fact.name,
                 "the type " + fact.name + " was " + type_text(fact) + ", is " + found->second.text);
      }
    };
    compare("typedef", older_.typedefs);
    compare("handle", older_.handles);
    compare("callback", older_.callbacks);
  }

  static std::string type_text(const facts::Typedef& fact) { return plan::without_keyword(fact.type); }
  static std::string type_text(const facts::Handle& fact) {
    return std::string(fact.is_const ? "a const handle of " : "a handle of ") + fact.tag;
  }
  static std::string type_text(const facts::Callback& fact) { return "a callback (" + types_of(fact) + ")"; }

  void constants() {
    const auto now = by_name(newer_.constants);
    for (const auto& before : older_.constants) {
      const auto found = now.find(before.name);
      if (found == now.end())
        gone("constant", before.name);
      else if (found->second->value != before.value && !is_free_to_grow(before.name))
        report("E215", "constant", before.name, before.name,
               fmt::format("the constant {} was {}, is {}", before.name, before.value, found->second->value));
    }
  }

  void unused_rows() {
    for (const auto& [name, release] : accepted_) {
      if (release == step_.to && !used_.count(name))
        diagnostics_.add("E202", "generator/data/changes.toml", "the row " + name + " accepts no change", "remove it");
    }
  }

  const facts::Facts& older_;
  const facts::Facts& newer_;
  const Step& step_;
  const std::map<std::string, std::string>& accepted_;
  const plan::Places& places_;
  Diagnostics& diagnostics_;
  bool is_new_major_;
  std::set<std::string> used_;
};

}  // namespace

void check_changes(const facts::Facts& older, const facts::Facts& newer, const Step& step,
                   const std::map<std::string, std::string>& accepted, const plan::Places& places,
                   Diagnostics& diagnostics) {
  Comparison(older, newer, step, accepted, places, diagnostics).run();
}

}  // namespace bindgen::report
