// SPDX-License-Identifier: Apache-2.0
// Reads the marks that open and close documentation groups. They need not balance: some headers close more than they open.
#include "facts/groups.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace bindgen::facts {
namespace {

// The word behind a command: "CUDA_MEM" of "\defgroup CUDA_MEM Memory Management"; empty where there is no such command.
std::string word_behind(std::string_view comment, std::string_view command) {
  auto at = comment.find(command);
  if (at == std::string_view::npos) return "";
  at += command.size();
  while (at < comment.size() && comment[at] == ' ') ++at;
  auto end = at;
  while (end < comment.size() && (std::isalnum(static_cast<unsigned char>(comment[end])) || comment[end] == '_')) ++end;
  return std::string(comment.substr(at, end - at));
}

std::string group_opened_by(std::string_view comment) {
  const auto defined = word_behind(comment, "\\defgroup ");
  return defined.empty() ? word_behind(comment, "\\addtogroup ") : defined;
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size())) ++found;
  return found;
}

}  // namespace

DocGroups::DocGroups(const std::string& text) {
  std::vector<std::string> open;
  std::string named;  // by a comment that did not open it; the next mark without a name does
  const auto current = [&] { return open.empty() ? std::string() : open.back(); };
  for (auto begin = text.find("/**"); begin != std::string::npos; begin = text.find("/**", begin)) {
    const auto end = std::min(text.find("*/", begin + 2), text.size() - 2) + 2;
    const auto comment = std::string_view(text).substr(begin, end - begin);
    begin = end;
    const auto name = group_opened_by(comment);
    if (!name.empty()) named = name;
    const auto before = current();
    for (auto marks = count(comment, "@{"); marks > 0; --marks) {
      open.push_back(named.empty() ? current() : named);
      named.clear();
    }
    for (auto marks = count(comment, "@}"); marks > 0 && !open.empty(); --marks) open.pop_back();
    if (current() != before) changes_.push_back({static_cast<unsigned>(end), current()});
  }
}

std::string DocGroups::at(unsigned offset) const {
  const auto after = std::upper_bound(changes_.begin(), changes_.end(), offset,
                                      [](unsigned wanted, const Change& change) { return wanted < change.offset; });
  return after == changes_.begin() ? std::string() : std::prev(after)->group;
}

std::string group_named_in(const std::string& comment) { return word_behind(comment, "\\ingroup "); }

}  // namespace bindgen::facts
