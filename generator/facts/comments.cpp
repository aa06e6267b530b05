// SPDX-License-Identifier: Apache-2.0
// Finds comments by position and reads the class of their wording; the wording itself goes nowhere.
#include "facts/comments.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string_view>

namespace bindgen::facts {
namespace {

bool is_skipped(const std::vector<clang::OffsetRange>& skipped, unsigned offset) {
  return std::any_of(skipped.begin(), skipped.end(),
                     [&](const auto& range) { return offset >= range.begin && offset < range.end; });
}

bool starts_with(std::string_view text, std::size_t at, std::string_view what) {
  return text.substr(at, what.size()) == what;
}

// `/** @{ */` and its like group declarations and document none of them.
bool is_group_mark(const std::string& comment) {
  return comment.find("@{") != std::string::npos || comment.find("@}") != std::string::npos ||
         comment.find("\\defgroup") != std::string::npos || comment.find("\\addtogroup") != std::string::npos;
}

std::size_t end_of_line(std::string_view text, std::size_t at) {
  while (true) {
    const auto end = std::min(text.find('\n', at), text.size());
    if (end == text.size() || text[end - 1] != '\\') return end;
    at = end + 1;  // a continued directive
  }
}

using Words = std::vector<std::string>;

template <std::size_t N>
bool is_one_of(const std::string& word, const std::array<const char*, N>& list) {
  return std::any_of(list.begin(), list.end(), [&](const char* entry) { return word == entry; });
}

constexpr std::array return_verbs = {"return", "returns", "returned", "returning", "retrieved"};
constexpr std::array write_verbs = {"store",   "stores",   "stored",   "storing",   "places",   "placed",    "writes",
                                    "written", "fills",    "filled",   "populates", "populate", "populated", "sets",
                                    "set",     "receive",  "receives", "copies",    "output",   "outputs",   "records",
                                    "updated", "modified", "puts",     "put",       "dumps"};
constexpr std::array read_verbs = {"specified", "described", "given",  "provided", "read",
                                   "reads",     "indicated", "passed", "pointed",  "listed"};
constexpr std::array places = {"in", "into", "to", "at", "through", "via", "by"};
constexpr std::array be_words = {"is", "are", "will", "be", "was", "gets", "on", "success"};
constexpr std::array hold_verbs = {"contains", "receives", "holds", "returns"};
constexpr std::array describe_verbs = {"specifies", "describes", "must", "should", "shall", "indicates", "defines"};

// How the text marks a parameter that it mentions: "\\p x" is read as "$x", "\\p *x" and a bare "*x" as "$*x".
constexpr char mention = '$';

std::string trimmed(std::string word, bool& ends_sentence) {
  while (!word.empty() && std::string_view("(\"':").find(word.front()) != std::string_view::npos) word.erase(0, 1);
  while (!word.empty() && std::string_view(".,;:)\"'").find(word.back()) != std::string_view::npos) {
    ends_sentence = ends_sentence || word.back() == '.';
    word.pop_back();
  }
  return word;
}

// Words without the comment's stars, doxygen's \c and \b, and punctuation. "." ends a sentence.
Words words_of(const std::string& text) {
  Words words;
  std::istringstream stream(text);
  std::string raw;
  bool is_mention = false;
  while (stream >> raw) {
    if (raw == "*" || raw == "/**" || raw == "*/" || raw == "\\c" || raw == "\\b" || raw == "-") continue;
    if (raw == "\\p" || raw == "(\\p") {
      is_mention = true;
      continue;
    }
    bool ends_sentence = false;
    auto word = trimmed(raw, ends_sentence);
    is_mention = is_mention || (word.size() > 1 && word.front() == '*');
    if (!word.empty()) words.push_back(is_mention ? mention + word : word);
    is_mention = false;
    if (ends_sentence) words.emplace_back(".");
  }
  return words;
}

std::string lower(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return word;
}

struct Tagged {
  bool found = false;
  std::string tag;  // in, out, inout, or empty
  Words text;       // of the \param entry
};

std::string tag_in(const std::string& word) {
  std::string letters;
  for (const char letter : word) {
    if (std::isalpha(static_cast<unsigned char>(letter))) letters += letter;
  }
  if (letters == "in" || letters == "out") return letters;
  return letters == "inout" ? "inout" : "";
}

// The \param entry of each name: "\param[out] x", "\param [in, out] x", "\param x".
std::map<std::string, Tagged> tagged_params(const Words& words) {
  std::map<std::string, Tagged> entries;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const bool is_param = words[at].rfind("\\param", 0) == 0 || words[at].rfind("@param", 0) == 0;
    if (!is_param) continue;
    Tagged entry;
    entry.found = true;
    std::string bracket = words[at].substr(6);
    std::size_t next = at + 1;
    if (bracket.empty() && next < words.size() && words[next].front() == '[') bracket = words[next++];
    while (!bracket.empty() && bracket.back() != ']' && next < words.size()) bracket += words[next++];
    entry.tag = tag_in(bracket);
    if (next >= words.size()) break;
    std::string name = words[next++];
    if (name.front() == mention) name.erase(0, 1);
    while (next < words.size() && words[next].front() != '\\' && words[next].front() != '@')
      entry.text.push_back(lower(words[next++]));
    if (!entries[name].found) entries[name] = std::move(entry);
  }
  return entries;
}

// "Returned device pointer", "Pointer to an int in which the size is returned", "On success, this will contain the
// handle": the first sentence says that it is an output. "Handle returned by cuX" says where an input comes from.
bool opens_as_returned(const Words& text) {
  constexpr std::array outputs = {"return",    "returned", "returns",   "returning", "store",  "stored",
                                  "receive",   "receives", "written",   "output",    "filled", "fill",
                                  "populated", "populate", "retrieved", "dump"};
  constexpr std::array openers = {"pointer", "pointers",  "location", "locations",  "place",    "address",
                                  "buffer",  "array",     "optional", "optionally", "returned", "returns",
                                  "return",  "retrieved", "output",   "newly"};
  constexpr std::array articles = {"a", "an", "the", "if", "not", "null", "host", "user", "allocated"};
  constexpr std::array inputs = {"containing", "specifying", "specified", "previously", "obtained", "passed"};
  if (text.size() > 4 && text[0] == "on" && text[1] == "success") return text[2] == "this" && text[3] == "will";
  std::size_t first = 0;
  while (first < text.size() && is_one_of(text[first], articles)) ++first;
  if (first == text.size() || !is_one_of(text[first], openers)) return false;
  for (std::size_t at = first; at < text.size() && at < first + 20 && text[at] != "."; ++at) {
    if (is_one_of(text[at], inputs)) return false;
    const bool names_source = at + 1 < text.size() && (text[at + 1] == "by" || text[at + 1] == "from");
    if (is_one_of(text[at], outputs)) return !names_source;
  }
  return text[first] == "newly";
}

struct Prose {
  bool returned = false;
  bool written = false;
  bool read = false;
};

// The verb nearest in front decides: "Returns in $*x", "stored in $x", "passed via $x"; "in $*a and $*b" counts for
// both.
void read_before(const Words& words, std::size_t at, Prose& prose) {
  std::size_t head = at;
  while (head > 0 && (words[head - 1].front() == mention || words[head - 1] == "and" || words[head - 1] == "or"))
    --head;
  if (head == 0 || words[head - 1] == ".") return;
  const bool is_deref = words[at].size() > 1 && words[at][1] == '*';
  const bool after_place = is_one_of(lower(words[head - 1]), places);
  if (!after_place && !is_deref) return;
  const bool is_goal = lower(words[head - 1]) == "to";  // "sets the parameters of the node to $x" reads x
  for (std::size_t back = head; back > 0 && words[back - 1] != "."; --back) {
    const auto verb = lower(words[back - 1]);
    const bool is_setting = is_goal && (verb == "sets" || verb == "set");
    const bool is_near = is_deref || head - back < 12;
    if (is_one_of(verb, return_verbs))
      prose.returned = true;
    else if (is_setting)
      prose.read = true;
    else if (is_one_of(verb, write_verbs))
      prose.written = is_near;
    else if (is_one_of(verb, read_verbs))
      prose.read = true;
    else if (!after_place)
      return;
    else
      continue;
    return;
  }
}

// "$*x is set to", "$*x must hold".
void read_after(const Words& words, std::size_t at, Prose& prose) {
  if (words[at].size() < 2 || words[at][1] != '*') return;
  for (std::size_t next = at + 1; next < words.size() && next <= at + 4 && words[next] != "."; ++next) {
    const auto word = lower(words[next]);
    if (is_one_of(word, return_verbs) || is_one_of(word, write_verbs) || is_one_of(word, hold_verbs))
      prose.written = true;
    if (is_one_of(word, describe_verbs)) prose.read = true;
    if (!is_one_of(word, be_words)) return;
  }
}

std::string class_of(const Tagged& tagged, const Prose& prose) {
  if (!tagged.tag.empty()) return tagged.tag;
  if (tagged.found && opens_as_returned(tagged.text)) return "returned";
  if (prose.returned && !prose.read) return "returned";
  if ((prose.returned || prose.written) && prose.read) return "prose-inout";
  if (prose.written) return "prose-out";
  return prose.read ? "prose-in" : "none";
}

}  // namespace

DocComments::DocComments(const std::string& text, const std::vector<clang::OffsetRange>& skipped) {
  bool at_line_start = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char character = text[at];
    if (starts_with(text, at, "/*")) {
      const auto end = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
      const bool is_doc =
          starts_with(text, at, "/**") && !starts_with(text, at, "/**<") && !starts_with(text, at, "/**/");
      std::string comment = text.substr(at, end - at);
      if (is_doc && !is_group_mark(comment) && !is_skipped(skipped, static_cast<unsigned>(at))) {
        comments_.push_back({static_cast<unsigned>(end), std::move(comment)});
      }
      at = end - 1;
    } else if (starts_with(text, at, "//") || (character == '#' && at_line_start)) {
      at = end_of_line(text, at) - 1;
    } else if (character == '\n') {
      at_line_start = true;
    } else if (!std::isspace(static_cast<unsigned char>(character))) {
      at_line_start = false;
      if ((character == ';' || character == '}') && !is_skipped(skipped, static_cast<unsigned>(at)))
        ends_.push_back(static_cast<unsigned>(at));
    }
  }
}

std::optional<std::string> DocComments::before(unsigned offset) const {
  const auto after = std::lower_bound(comments_.begin(), comments_.end(), offset,
                                      [](const Comment& comment, unsigned wanted) { return comment.end <= wanted; });
  if (after == comments_.begin()) return std::nullopt;
  const auto& comment = *std::prev(after);
  const auto next_end = std::lower_bound(ends_.begin(), ends_.end(), comment.end);
  if (next_end != ends_.end() && *next_end < offset) return std::nullopt;
  return comment.text;
}

std::map<std::string, std::string> doc_classes(const std::string& comment, const std::vector<std::string>& params) {
  const auto words = words_of(comment);
  const auto tagged = tagged_params(words);
  std::map<std::string, Prose> prose;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at].front() != mention) continue;
    auto& entry = prose[words[at].substr(
        words[at].find_first_not_of("$*") == std::string::npos ? 1 : words[at].find_first_not_of("$*"))];
    read_before(words, at, entry);
    read_after(words, at, entry);
  }
  std::map<std::string, std::string> classes;
  for (const auto& param : params) {
    const auto entry = tagged.find(param);
    const auto text = prose.find(param);
    classes[param] =
        class_of(entry == tagged.end() ? Tagged{} : entry->second, text == prose.end() ? Prose{} : text->second);
  }
  return classes;
}

}  // namespace bindgen::facts
