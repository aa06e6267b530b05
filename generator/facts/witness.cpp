// SPDX-License-Identifier: Apache-2.0
// Scans preprocessed text for prototypes, knowing nothing of C but brackets and words.
#include "facts/witness.hpp"

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace bindgen::facts {
namespace {

bool is_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_'; }

bool is_cuda_name(const std::string& word) {
  for (const std::string prefix : {"cuda", "nvrtc", "cu"}) {
    const bool matches = word.rfind(prefix, 0) == 0 && word.size() > prefix.size();
    if (matches && std::isupper(static_cast<unsigned char>(word[prefix.size()]))) return true;
  }
  return false;
}

std::string quoted(const std::string& argument) {
  std::string text = "'";
  for (const char letter : argument) {
    if (letter == '\'')
      text += "'\\''";
    else
      text += letter;
  }
  return text + "'";
}

std::string output_of(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string text;
  std::array<char, 65536> buffer{};
  for (std::size_t count; (count = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), count);
  if (pclose(pipe) != 0)
    throw std::runtime_error("the second witness needs a C compiler (cc, or the one named by CC): " +
                             text.substr(0, 400));
  return text;
}

}  // namespace

std::set<std::string> scan_prototypes(const std::string& preprocessed) {
  std::set<std::string> names;
  int depth = 0;  // of parentheses, brackets and braces together
  bool is_typedef = false;
  std::string last_word;
  for (std::size_t at = 0; at < preprocessed.size(); ++at) {
    const char letter = preprocessed[at];
    if (is_word(letter)) {
      const auto begin = at;
      while (at + 1 < preprocessed.size() && is_word(preprocessed[at + 1])) ++at;
      last_word = preprocessed.substr(begin, at + 1 - begin);
      if (depth == 0 && last_word == "typedef") is_typedef = true;
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(letter))) continue;
    if (letter == '(' && depth == 0 && !is_typedef && is_cuda_name(last_word)) names.insert(last_word);
    if (letter == '(' || letter == '[' || letter == '{') ++depth;
    if (letter == ')' || letter == ']' || letter == '}') --depth;
    if (depth == 0 && (letter == ';' || letter == '}')) is_typedef = letter == '}' && is_typedef;
    last_word.clear();
  }
  return names;
}

std::string preprocess(const Headers& headers, View view) {
  const char* chosen = std::getenv("CC");
  std::string command = std::string(chosen && *chosen ? chosen : "cc") + " -E -P -w -std=gnu11";
  if (view == View::per_thread) command += " -DCUDA_API_PER_THREAD_DEFAULT_STREAM";
  if (view == View::internal) command += " -D__CUDA_API_VERSION_INTERNAL";
  const auto& folders = headers.folders();
  for (const auto& folder : folders.cuda) command += " -isystem " + quoted(folder);
  command += " -isystem " + quoted(folders.shims);  // and the compiler's own C library headers: an independent witness
  for (const auto& name : headers.table().defines) command += " " + quoted("-D" + name);
  for (const auto& header : headers.table().umbrella) {
    if (const auto path = headers.find(header); !path.empty()) command += " -include " + quoted(path);
  }
  return output_of(command + " -x c /dev/null");
}

void check_witness(const Headers& headers, View view, const std::set<std::string>& known, Reasons& exclusions,
                   Diagnostics& diagnostics) {
  const auto names = scan_prototypes(preprocess(headers, view));
  for (const auto& name : names) {
    if (known.count(name) || exclusions.explains("prototypes", name)) continue;
    diagnostics.add(
        "E132", name, "a prototype of this name stands in the preprocessed headers and is in no fact",
        "teach the generator, or exclude it with its reason in generator/data/exclusions.toml:\n  [prototypes]\n  " +
            name + " = \"...\"");
  }
}

}  // namespace bindgen::facts
