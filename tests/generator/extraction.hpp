// SPDX-License-Identifier: Apache-2.0
// Facts of a few header lines, for tests: each test writes its header into a folder of its own.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <string>

#include "facts/extract.hpp"
#include "facts/json.hpp"

namespace bindgen::testing {

// A folder that lives as long as the test.
class Folder {
 public:
  explicit Folder(const std::string& name = "cuda-bindgen") {
    static std::atomic<unsigned> number{0};
    const auto unique = name + "-" + std::to_string(getpid()) + "-" + std::to_string(number++);
    path_ = std::filesystem::temp_directory_path() / unique;
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path() const { return path_.string(); }
  void write(const std::string& name, const std::string& text) const { facts::write_text(path() + "/" + name, text); }

 private:
  std::filesystem::path path_;
};

struct Input {
  std::map<std::string, std::string> headers;  // name -> text; cuda.h and nvrtc.h have their own modules
  std::string cpp_differences = "[functions]\n";
  std::string exclusions = "[functions]\n";
  std::vector<std::string> since;  // headers with PFN_ types
  std::vector<std::string> only_used;
  std::vector<std::string> umbrella;  // empty: all headers but those of `since`
};

struct Output {
  facts::Extraction extraction;
  Diagnostics diagnostics;
  std::string jsonl() const { return facts::to_jsonl(extraction.facts); }
};

inline Output extract(const Input& input) {
  const Folder headers;
  const Folder data;
  facts::HeaderTable table;
  table.modules = {{"cuda.h", "driver"}, {"nvrtc.h", "nvrtc"}};
  table.since = input.since;
  table.only_used = {input.only_used.begin(), input.only_used.end()};
  table.shared = {"CUuuid_st", "CUuuid"};
  table.umbrella = input.umbrella;
  for (const auto& [name, text] : input.headers) {
    headers.write(name, text);
    const bool is_since = std::find(input.since.begin(), input.since.end(), name) != input.since.end();
    if (input.umbrella.empty() && !is_since) table.umbrella.push_back(name);
  }
  data.write("cpp_differences.toml", input.cpp_differences);
  data.write("exclusions.toml", input.exclusions);
  const facts::HeaderFolders folders{{headers.path()},
                                     CUDA_BINDINGS_SOURCE_DIR "/generator/shims",
                                     CUDA_BINDINGS_RESOURCE_DIR,
                                     facts::default_libc_folders()};
  Output output;
  output.extraction = facts::extract(facts::Headers(table, folders), data.path(), output.diagnostics);
  return output;
}

// One header called cuda.h.
inline Output extract(const std::string& text) {
  Input input;
  input.headers["cuda.h"] = text;
  return extract(input);
}

inline std::string texts(const Diagnostics& diagnostics) {
  std::string text;
  for (const auto& entry : diagnostics.entries()) text += to_text(entry);
  return text;
}

}  // namespace bindgen::testing
