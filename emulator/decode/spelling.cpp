// SPDX-License-Identifier: Apache-2.0
// From a PTX spelling to the spelling of a table row.
#include "decode/spelling.hpp"

#include <algorithm>

#include "decode/messages.hpp"

namespace emulator::decode {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

/// Words that change nothing here: caches, eviction, scopes.
bool is_hint(std::string_view word) {
  static constexpr std::string_view hints[] = {"ca",  "cg",      "cs",  "lu",  "cv",   "wb",    "wt",     "nc",
                                               "cta", "cluster", "gpu", "sys", "weak", "noftz", "unified"};
  return is_one_of(word, hints) || word.starts_with("L1::") || word.starts_with("L2::") || word.starts_with("level::");
}

/// Words after which other threads' writes must be seen, or be waited for fairly.
bool is_ordering(std::string_view word) {
  static constexpr std::string_view orders[] = {"volatile", "relaxed", "acquire", "release", "acq_rel", "sc", "mmio"};
  return is_one_of(word, orders);
}

bool read_space(std::string_view word, AccessSpace& space) {
  if (word == "global") {
    space = AccessSpace::global;
  } else if (word == "shared" || word == "shared::cta") {
    space = AccessSpace::shared;
  } else if (word == "local") {
    space = AccessSpace::local;
  } else if (word == "const") {
    space = AccessSpace::constant;
  } else if (word == "param" || word == "param::entry" || word == "param::func") {
    space = AccessSpace::param;
  } else {
    return false;
  }
  return true;
}

std::string_view space_name(AccessSpace space) {
  switch (space) {
    case AccessSpace::global:
    case AccessSpace::constant: return "global";
    case AccessSpace::shared: return "shared";
    case AccessSpace::local: return "local";
    default: return "generic";
  }
}

/// Reads the modifiers of a memory instruction; false where one is unknown. `operation` takes atom's.
bool read_access(const Words& words, Access& access, std::string_view& operation) {
  static constexpr std::string_view operations[] = {"add", "min",  "max", "and", "or",
                                                    "xor", "exch", "cas", "inc", "dec"};
  const bool is_atomic = words[0] == "atom" || words[0] == "red";
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (read_space(word, access.space)) continue;
    if (is_hint(word)) {
      access.has_policy |= word == "L2::cache_hint";
    } else if (is_ordering(word)) {
      access.ordered = true;
    } else if (!is_atomic && (word == "v2" || word == "v4")) {
      access.elements = word == "v2" ? 2 : 4;
    } else if (is_atomic && is_one_of(word, operations)) {
      operation = word;
    } else {
      access.type = parse_type(word);
      if (access.type.kind == 0 || i + 1 != words.size()) return false;
    }
  }
  return access.type.kind != 0 && access.type.kind != 'p' && (!is_atomic || !operation.empty());
}

Normalised normalise_access(const Words& words) {
  Normalised made;
  std::string_view operation;
  if (!read_access(words, made.access, operation)) {
    made.family = Family::left_out;
    return made;
  }
  made.result = made.source = made.access.type;
  if (words[0] == "atom" || words[0] == "red") {
    made.family = words[0] == "atom" ? Family::atomic : Family::reduction;
    std::string_view type = words[words.size() - 1];
    if (operation == "add" && made.access.type.kind == 's') type = type == "s32" ? "u32" : "u64";
    made.row = "atom.";
    made.row.append(space_name(made.access.space)).append(".").append(operation).append(".").append(type);
    return made;
  }
  made.family = words[0] == "st" ? Family::store : Family::load;
  if (made.access.space != AccessSpace::param) {
    made.row = access_row(words[0] == "st" ? "st" : "ld", space_name(made.access.space), made.access);
  }
  return made;
}

Normalised normalise_move(std::string_view opcode, const Words& words) {
  Normalised made{.family = Family::move, .row = std::string(opcode)};
  made.result = made.source = parse_type(words[1]);
  const bool fits = words.size() == 2 && made.result.kind != 0 && made.result.bits != 8;
  if (!fits) made.family = Family::left_out;
  if (made.result.kind == 'p') {
    made.row = "mov.pred";
  } else {
    made.row = "mov.b" + std::to_string(made.result.bits);
  }
  return made;
}

/// cvta: global, constant and parameter memory have the same address in both forms.
Normalised normalise_address(std::string_view opcode, const Words& words) {
  Normalised made{.family = Family::address, .row = std::string(opcode)};
  made.result = made.source = parse_type(words[words.size() - 1]);
  const bool to_space = words[1] == "to";
  std::string_view space = words[to_space ? 2 : 1];
  if (space == "param::entry") space = "param";
  if (space == "shared::cta") space = "shared";
  const bool has_right_size = words.size() == (to_space ? 4u : 3u) && made.result.kind == 'u' && made.result.bits == 64;
  if (!has_right_size) {
    made.family = Family::left_out;
  } else if (space == "global" || space == "const" || space == "param") {
    made.row = "mov.b64";
  } else {
    made.row = (to_space ? "cvta.to." : "cvta.") + std::string(space);
  }
  return made;
}

/// barrier.cta.sync.aligned and bar.cta.sync are bar.sync: warps of the emulated device need no alignment.
Normalised normalise_barrier(std::string_view opcode, const Words& words) {
  Normalised made{.family = Family::barrier, .row = "bar"};
  if (words[1] == "warp") {
    made.family = Family::plain;
    made.row = opcode;
    return made;
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] != "cta" && words[i] != "aligned") made.row.append(".").append(words[i]);
  }
  return made;
}

/// shfl and match.all may have a second destination.
Normalised normalise_collective(std::string_view opcode, const Words& words) {
  const bool is_pair = words[0] == "shfl" || (words[0] == "match" && words[1] == "all");
  const Type type = parse_type(words[words.size() - 1]);
  return {
      .family = is_pair ? Family::shuffle : Family::plain, .row = std::string(opcode), .result = type, .source = type};
}

Normalised normalise_flow(std::string_view opcode, const Words& words) {
  Normalised made{.family = Family::branch, .row = std::string(opcode)};
  if (made.row.ends_with(".uni")) made.row.resize(made.row.size() - 4);
  const std::string_view base = words[0];
  if (base == "brx") made.family = Family::branch_table;
  if (base == "call") made.family = Family::call;
  if (base == "ret") made.family = Family::leave;
  return made;
}

Normalised normalise_plain(std::string_view opcode, const Words& words) {
  Normalised made{.family = Family::plain, .row = std::string(opcode)};
  for (const std::string_view word : words) {
    const Type type = parse_type(word);
    if (type.kind == 0) continue;
    if (made.result.kind == 0) made.result = type;
    made.source = type;
  }
  if (words[0] == "setp") made.family = Family::compare;
  return made;
}

}  // namespace

Type parse_type(std::string_view word) {
  if (word == "pred") return {'p', 1};
  if (word == "f16" || word == "bf16") return {'h', 16};
  if (word == "f16x2" || word == "bf16x2") return {'h', 32};
  if (word.size() < 2 || word.size() > 3) return {};
  const char kind = word[0];
  if (kind != 'b' && kind != 'u' && kind != 's' && kind != 'f') return {};
  const std::string_view digits = word.substr(1);
  if (digits == "32") return {kind, 32};
  if (digits == "64") return {kind, 64};
  if (kind != 'f' && digits == "16") return {kind, 16};
  if (kind != 'f' && digits == "8") return {kind, 8};
  return {};
}

Words::Words(std::string_view opcode) {
  while (size_ < words_.size()) {
    const std::size_t dot = opcode.find('.');
    words_[size_++] = opcode.substr(0, dot);
    if (dot == std::string_view::npos) break;
    opcode.remove_prefix(dot + 1);
  }
}

bool Words::has(std::string_view word) const { return size_ > 1 && std::find(begin() + 1, end(), word) != end(); }

std::string access_row(std::string_view base, std::string_view space, const Access& access) {
  std::string row(base);
  if (access.ordered && space != "frame" && space != "entry") row += ".volatile";
  row.append(".").append(space);
  if (access.elements > 1) row += access.elements == 2 ? ".v2" : ".v4";
  const bool extends_sign = base == "ld" && access.type.kind == 's' && access.type.bits < 32;
  row += extends_sign ? ".s" : ".b";
  row += std::to_string(access.type.bits);
  return row;
}

Normalised normalise(std::string_view opcode) {
  static constexpr std::string_view memory[] = {"ld", "ldu", "st", "atom", "red"};
  static constexpr std::string_view hints[] = {"prefetch", "prefetchu", "discard", "applypriority", "pmevent", "brkpt"};
  static constexpr std::string_view flow[] = {"bra", "brx", "call", "ret"};
  static constexpr std::string_view collectives[] = {"shfl", "vote", "match"};
  if (is_left_out(opcode)) return {.family = Family::left_out};
  const Words words(opcode);
  const std::string_view base = words[0];
  if (is_one_of(base, memory)) return normalise_access(words);
  if (base == "mov") return normalise_move(opcode, words);
  if (base == "cvta") return normalise_address(opcode, words);
  if (base == "bar" || base == "barrier") return normalise_barrier(opcode, words);
  if (is_one_of(base, collectives)) return normalise_collective(opcode, words);
  if (is_one_of(base, flow)) return normalise_flow(opcode, words);
  if (base == "fence" || base == "membar") return {.family = Family::nothing, .row = "membar"};
  if (is_one_of(base, hints)) return {.family = Family::nothing, .row = "nop"};
  if (base == "createpolicy") return {.family = Family::zero, .row = "mov.b64"};
  if (base == "isspacep" && words[1] == "shared::cta") return {.family = Family::plain, .row = "isspacep.shared"};
  return normalise_plain(opcode, words);
}

}  // namespace emulator::decode
