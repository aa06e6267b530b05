// SPDX-License-Identifier: Apache-2.0
// Header lines as facts, and a data folder of a few rows, for the tests of rules and plan.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "plan/build.hpp"
#include "report/diagnostic.hpp"
#include "rules/rule.hpp"

namespace bindgen::testing {

using Documentation = std::map<std::string, std::string>;  // parameter -> class of its wording

inline facts::Parameter parameter_from(const std::string& text) {
  const auto star = text.find("(*");
  if (star != std::string::npos) {  // int (*callback)(void *, void *)
    const auto close = text.find(')', star);
    return {text.substr(star + 2, close - star - 2), text.substr(0, star + 2) + text.substr(close), "none"};
  }
  const auto at = text.find_last_of(" *") + 1;
  auto type = text.substr(0, at);
  if (type.ends_with(' ')) type.pop_back();
  return {text.substr(at), type, "none"};
}

// "CUresult cuMemAlloc(CUdeviceptr *dptr, size_t bytesize)" -> its fact.
inline facts::Function declaration(const std::string& line, const Documentation& documentation = {}) {
  const auto open = line.find('(');
  const auto head = parameter_from(line.substr(0, open));
  facts::Function function{head.name, head.name, "driver", head.type, {}, {}, {}, false, false, {}, false, ""};
  std::string word;
  int depth = 0;
  const auto take = [&] {
    if (!word.empty() && word != "void") function.params.push_back(parameter_from(word));
    word.clear();
  };
  for (auto at = open + 1; at + 1 < line.size(); ++at) {
    depth += line[at] == '(' ? 1 : line[at] == ')' ? -1 : 0;
    if (line[at] == ',' && depth == 0) {
      take();
      ++at;
    } else {
      word += line[at];
    }
  }
  take();
  for (auto& param : function.params) {
    if (const auto found = documentation.find(param.name); found != documentation.end()) param.doc = found->second;
  }
  return function;
}

// The types that the samples name.
inline facts::Facts small_world() {
  facts::Facts facts;
  facts.typedefs = {{"CUDA_MEMCPY2D", "driver", "struct CUDA_MEMCPY2D_st"},
                    {"CUdevice", "driver", "int"},
                    {"CUdeviceptr", "driver", "unsigned long long"},
                    {"CUstreamAttrID", "driver", "CUlaunchAttributeID"},
                    {"cuuint64_t", "driver", "uint64_t"}};
  facts.handles = {{"CUcontext", "driver", "CUctx_st", false},
                   {"CUgraphNode", "driver", "CUgraphNode_st", false},
                   {"CUstream", "driver", "CUstream_st", false},
                   {"cudaStream_t", "runtime", "CUstream_st", false}};
  facts.callbacks = {{"CUhostFn", "driver", "void", {{"userData", "void *", "none"}}}};
  facts.enums = {
      {"CUjit_option", "CUjit_option_enum", "driver", "unsigned int", {{"CU_JIT_MAX_REGISTERS", 0}}},
      {"CUlaunchAttributeID", "CUlaunchAttributeID_enum", "driver", "unsigned int", {{"CU_LAUNCH_IGNORE", 0}}},
      {"CUpointer_attribute", "CUpointer_attribute_enum", "driver", "unsigned int", {{"CU_POINTER_CONTEXT", 1}}},
      {"CUresult", "cudaError_enum", "driver", "unsigned int", {{"CUDA_SUCCESS", 0}}}};
  facts.records = {{"CUDA_MEMCPY2D_st",
                    "driver",
                    16,
                    8,
                    {{"srcPitch", 0, "size_t", {}}, {"srcHost", 64, "const void *", {}}},
                    false,
                    false,
                    {}}};
  return facts;
}

inline const rules::RuleData& sample_rule_data() {
  static const rules::RuleData data{{"CUpointer_attribute"}, {"CUjit_option"}};
  return data;
}

// What one rule says of one parameter of a header line.
inline std::optional<rules::Verdict> ask_rule(std::optional<rules::Verdict> (*rule)(const rules::PointerParameter&),
                                              const std::string& line, const std::string& parameter,
                                              const std::string& documentation = "none") {
  const auto facts = small_world();
  const plan::TypeTable table(facts);
  const auto function = declaration(line, {{parameter, documentation}});
  for (std::size_t at = 0; at < function.params.size(); ++at) {
    if (function.params[at].name == parameter) return rule({function, at, table, sample_rule_data()});
  }
  throw std::runtime_error("the line has no parameter " + parameter);
}

// A folder with every data file, empty but for what a test writes.
class DataFolder {
 public:
  DataFolder()
      : path_(std::filesystem::temp_directory_path() /
              ("bindgen-data-" + std::to_string(getpid()) + "-" + std::to_string(next()++))) {
    std::filesystem::create_directories(path_);
    write("classes.toml",
          "[handle_bases]\n[none_refused]\nnames = []\n[handle_kinds]\n[list_members]\n[field_kinds]\n");
    write("casts.toml", "cast = []\n");
    write("conversions.toml",
          "attribute_enums = [\"CUpointer_attribute\"]\noption_enums = "
          "[\"CUjit_option\"]\n[optional_elements]\n[addresses]\n");
    write("names.toml", "[parameters]\nlen = \"length\"\n[overloads]\n");
    write("gil.toml", "[hold]\n");
    write("exclusions.toml", "[functions]\n");
    write("overrides.toml", "");
  }
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;
  ~DataFolder() { std::filesystem::remove_all(path_); }

  DataFolder& write(const std::string& name, const std::string& text) {
    std::ofstream(path_ / name) << text;
    return *this;
  }
  std::string path() const { return path_.string(); }

 private:
  static int& next() {
    static int number = 0;
    return number;
  }
  std::filesystem::path path_;
};

// Plans a few header lines; keeps what they refer to alive.
struct Planned {
  facts::Facts facts;
  facts::Positions positions;
  Diagnostics diagnostics;
  plan::PlanResult result;

  Planned(std::vector<facts::Function> functions, const DataFolder& data, facts::Facts world = small_world())
      : facts(std::move(world)) {
    facts.functions = std::move(functions);
    unsigned line = 10;
    for (const auto& function : facts.functions) positions.push_back({"function", function.name, "cuda.h", line += 10});
    result = plan::build_plan(facts, positions, data.path(), "13.0", diagnostics);
  }
  Planned(const std::string& line, const Documentation& documentation = {})
      : Planned({declaration(line, documentation)}, DataFolder{}) {}

  const plan::FunctionPlan& function(std::size_t at = 0) const { return result.plan.functions.at(at); }
  // Every error as it is printed.
  std::string errors() const {
    std::ostringstream text;
    diagnostics.print(text);
    return text.str();
  }
};

}  // namespace bindgen::testing
