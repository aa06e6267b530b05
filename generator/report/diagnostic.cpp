// SPDX-License-Identifier: Apache-2.0
// Prints the generator's errors in one form.
#include "report/diagnostic.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace bindgen {
namespace {

// "cuda.h:18211" -> ("cuda.h", 18211), so that line 9 stands before line 10.
std::pair<std::string, long> file_and_line(const std::string& place) {
  const auto colon = place.rfind(':');
  if (colon == std::string::npos) return {place, 0};
  return {place.substr(0, colon), std::strtol(place.c_str() + colon + 1, nullptr, 10)};
}

auto sort_key(const Diagnostic& diagnostic) {
  return std::make_tuple(file_and_line(diagnostic.place), diagnostic.code, diagnostic.message);
}

std::string indented(const std::string& lines) {
  std::string text;
  bool at_start = true;
  for (const char character : lines) {
    if (at_start && character != '\n') text += "  ";
    text += character;
    at_start = character == '\n';
  }
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

}  // namespace

std::string to_text(const Diagnostic& diagnostic) {
  std::string text = diagnostic.place.empty() ? "" : diagnostic.place + ": ";
  text += diagnostic.code + ": " + diagnostic.message + "\n";
  return text + indented(diagnostic.remedy);
}

bool Diagnostics::has(const std::string& code) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Diagnostic& entry) { return entry.code == code; });
}

int Diagnostics::print(std::ostream& stream) const {
  auto sorted = entries_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Diagnostic& left, const Diagnostic& right) { return sort_key(left) < sort_key(right); });
  for (const auto& entry : sorted) stream << to_text(entry);
  return sorted.empty() ? 0 : 1;
}

}  // namespace bindgen
