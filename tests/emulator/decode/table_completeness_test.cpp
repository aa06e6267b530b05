// SPDX-License-Identifier: Apache-2.0
// Every spelling that real kernels of tiers 1 and 2 contain loads; those of tier 3 are refused by name, unless only
// order, scope or shape of a known instruction is new in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "decode/spelling.hpp"
#include "loading.hpp"

namespace emulator::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Operands of the opcodes that begin so. d: destination of the first type, s: source of the last type, D: destination
/// of twice its size, w: 32 bits, l: 64 bits, p: predicate, a: an address, v: as many registers of the type as .v2 or .v4
/// says; the rest stands for itself.
struct Template {
  std::string_view prefix;
  std::string_view operands;
};

/// The longest prefix that fits counts.
constexpr Template templates[] = {
    {"abs", "d, s"},
    {"activemask", "d"},
    {"add", "d, s, s"},
    {"addc", "d, s, s"},
    {"and", "d, s, s"},
    {"atom", "d, [a], s"},
    {"atom.cas", "d, [a], s, s"},
    {"atom.global.cas", "d, [a], s, s"},
    {"atom.relaxed", "d, [a], s, s"},
    {"bar.red.and", "p, 0, p"},
    {"bar.red.or", "p, 0, p"},
    {"bar.red.popc", "w, 0, p"},
    {"bar.sync", "0"},
    {"bar.warp.sync", "w"},
    {"barrier.sync", "1, 64"},
    {"bfe", "d, s, w, w"},
    {"bfi", "d, s, s, w, w"},
    {"bfind", "w, s"},
    {"bmsk", "d, s, s"},
    {"bra", "done"},
    {"brev", "d, s"},
    {"brkpt", ""},
    {"call", "callee, (w)"},
    {"clz", "w, s"},
    {"copysign", "d, s, s"},
    {"cos", "d, s"},
    {"cvt", "d, s"},
    {"cvt.rn.bf16x2", "d, s, s"},
    {"cvt.rn.f16x2", "d, s, s"},
    {"cvta", "l, l"},
    {"div", "d, s, s"},
    {"dp2a", "w, w, w, w"},
    {"dp4a", "w, w, w, w"},
    {"ex2", "d, s"},
    {"exit", ""},
    {"fence", ""},
    {"fma", "d, s, s, s"},
    {"fns", "w, w, w, w"},
    {"isspacep", "p, l"},
    {"ld", "v, [a]"},
    {"ld.param", "v, [parameter]"},
    {"lg2", "d, s"},
    {"lop3", "d, s, s, s, 0xE8"},
    {"mad", "d, s, s, s"},
    {"mad.wide", "D, s, s, D"},
    {"madc", "d, s, s, s"},
    {"match.all", "w|p, s, w"},
    {"match.any", "w, s, w"},
    {"max", "d, s, s"},
    {"membar", ""},
    {"min", "d, s, s"},
    {"mov", "d, s"},
    {"mul", "d, s, s"},
    {"mul.wide", "D, s, s"},
    {"nanosleep", "w"},
    {"neg", "d, s"},
    {"not", "d, s"},
    {"or", "d, s, s"},
    {"popc", "w, s"},
    {"prefetch", "[a]"},
    {"prmt", "d, s, s, s"},
    {"rcp", "d, s"},
    {"redux", "d, s, w"},
    {"rem", "d, s, s"},
    {"ret", ""},
    {"rsqrt", "d, s"},
    {"sad", "d, s, s, s"},
    {"selp", "d, s, s, p"},
    {"set", "d, s, s"},
    {"setp", "p, s, s"},
    {"shf", "d, s, s, w"},
    {"shfl", "w|p, w, w, w, w"},
    {"shl", "d, s, w"},
    {"shr", "d, s, w"},
    {"sin", "d, s"},
    {"sqrt", "d, s"},
    {"st", "[a], v"},
    {"st.param", "[argument], v"},
    {"sub", "d, s, s"},
    {"subc", "d, s, s"},
    {"szext", "d, s, w"},
    {"tanh", "d, s"},
    {"trap", ""},
    {"vabsdiff4", "w, w, w, w"},
    {"vote.sync.all", "p, p, w"},
    {"vote.sync.any", "p, p, w"},
    {"vote.sync.ballot", "w, p, w"},
    {"xor", "d, s, s"},
};

/// Spellings of tier 3 that are left out; everything else of tier 3 loads.
constexpr Template left_out[] = {
    {"barrier.cluster.arrive", ""},
    {"barrier.cluster.wait", ""},
    {"cp.async.ca.shared.global", "[w], [a], 4"},
    {"cp.async.commit_group", ""},
    {"cp.async.wait_group", "0"},
    {"fence.proxy.async", ""},
    {"griddepcontrol.launch_dependents", ""},
    {"griddepcontrol.wait", ""},
    {"ld.shared::cluster.b32", "w, [w]"},
    {"ld.shared::cluster.u32", "w, [w]"},
    {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", "{w, w, w, w}, [w]"},
    {"mapa.shared::cluster.u32", "w, w, w"},
    {"mapa.u64", "l, l, w"},
    {"mbarrier.arrive.shared.b64", "l, [w]"},
    {"mbarrier.arrive.shared::cta.b64", "l, [w]"},
    {"mbarrier.init.shared.b64", "[w], w"},
    {"mbarrier.test_wait.shared.b64", "p, [w], l"},
    {"mbarrier.try_wait.shared.b64", "p, [w], l"},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "{w, w, w, w}, {w, w, w, w}, {w, w}, {w, w, w, w}"},
    {"suld.b.2d.b32.zero", "w, [l, {w, w}]"},
    {"sust.b.2d.b32.trap", "[l, {w, w}], w"},
    {"tex.1d.v4.f32.s32", "{w, w, w, w}, [l, {w}]"},
    {"tex.2d.v4.f32.f32", "{w, w, w, w}, [l, {w, w}]"},
    {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16", "{w, w, w, w, w, w, w, w}, [a], w"},
    {"wmma.load.b.sync.aligned.col.m16n16k16.global.f16", "{w, w, w, w, w, w, w, w}, [a], w"},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", "{w, w}, {w, w}, {w, w}, {w, w}"},
    {"wmma.store.d.sync.aligned.row.m16n16k16.global.f32", "[a], {w, w, w, w, w, w, w, w}, w"},
};

std::string register_of(unsigned bits) {
  switch (bits) {
    case 1: return "%p1";
    case 8:
    case 16: return "%h1";
    case 64: return "%rd1";
    default: return "%r1";
  }
}

std::string vector_of(const std::string& spelling, unsigned bits) {
  const std::size_t elements = spelling.find(".v4.") != spelling.npos   ? 4
                               : spelling.find(".v2.") != spelling.npos ? 2
                                                                        : 1;
  if (elements == 1) return register_of(bits);
  std::string text = "{";
  for (std::size_t i = 0; i < elements; ++i) text += (i == 0 ? "" : ", ") + register_of(bits);
  return text + "}";
}

std::string operands_of(const std::string& spelling, std::string_view pattern) {
  const decode::Normalised types = decode::normalise(spelling);
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool is_word = (i > 0 && isalpha(pattern[i - 1]) != 0) ||
                         (i + 1 < pattern.size() && isalpha(pattern[i + 1]) != 0) ||
                         (i > 0 && isdigit(pattern[i - 1]) != 0);
    switch (is_word ? ' ' : pattern[i]) {
      case 'd': text += register_of(types.result.bits); break;
      case 's': text += register_of(types.source.bits); break;
      case 'D': text += register_of(2u * types.source.bits); break;
      case 'w': text += "%r1"; break;
      case 'l':
      case 'a': text += "%rd1"; break;
      case 'p': text += "%p1"; break;
      case 'v': text += vector_of(spelling, types.source.bits); break;
      default: text += pattern[i];
    }
  }
  return text;
}

/// A module whose line 11 is that instruction.
std::string module_with(const std::string& spelling, std::string_view pattern) {
  return with_head(
      ".func callee(.param .b32 x) { ret; }\n.entry k(.param .align 16 .b8 parameter[32])\n{\n"
      ".reg .pred %p1; .reg .b16 %h1; .reg .b32 %r1; .reg .b64 %rd1;\n.param .align 16 .b8 argument[32];\n"
      "mov.b64 %rd1, 0;\ndone:\n" +
      spelling + " " + operands_of(spelling, pattern) + ";\nret;\n}\n");
}

const Template* template_of(const std::string& spelling) {
  const Template* best = nullptr;
  for (const Template& each : templates) {
    const bool fits = spelling == each.prefix || spelling.starts_with(std::string(each.prefix) + ".");
    if (fits && (best == nullptr || each.prefix.size() > best->prefix.size())) best = &each;
  }
  return best;
}

/// The list of that name in tests/data/ptx_spellings.json.
std::vector<std::string> spellings_of(const std::string& tier) {
  const auto path = std::filesystem::path(__FILE__).parent_path() / "../../data/ptx_spellings.json";
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = text.find("\"" + tier + "\"");
  EXPECT_NE(begin, text.npos) << path;
  std::vector<std::string> found;
  const std::size_t end = text.find(']', begin);
  for (std::size_t at = text.find('[', begin); (at = text.find('"', at)) < end;) {
    const std::size_t close = text.find('"', at + 1);
    found.push_back(text.substr(at + 1, close - at - 1));
    at = close + 1;
  }
  return found;
}

void expect_to_load(const std::string& spelling) {
  const Template* form = template_of(spelling);
  ASSERT_NE(form, nullptr) << spelling << " has no operands here";
  const Refusal refusal = refusal_of_module(module_with(spelling, form->operands));
  EXPECT_EQ(refusal.code, result::success)
      << spelling << " " << operands_of(spelling, form->operands) << ": " << refusal.message;
}

TEST(TableCompleteness, EverySpellingOfTier1Loads) {
  const std::vector<std::string> spellings = spellings_of("tier1");
  EXPECT_THAT(spellings, SizeIs(410));
  for (const std::string& spelling : spellings) expect_to_load(spelling);
}

TEST(TableCompleteness, EverySpellingOfTier2Loads) {
  const std::vector<std::string> spellings = spellings_of("tier2");
  EXPECT_THAT(spellings, SizeIs(155));
  for (const std::string& spelling : spellings) expect_to_load(spelling);
}

TEST(TableCompleteness, SpellingsOfTier3AreRefusedByName) {
  for (const Template& each : left_out) {
    const std::string spelling(each.prefix);
    const Refusal refusal = refusal_of_module(module_with(spelling, each.operands));
    EXPECT_EQ(refusal.code, result::invalid_ptx) << spelling;
    EXPECT_EQ(refusal.line, 11u) << spelling << ": " << refusal.message;
    EXPECT_EQ(refusal.message, "Instruction '" + spelling + "' is not supported by the emulated device");
  }
}

TEST(TableCompleteness, OtherSpellingsOfTier3Load) {
  std::set<std::string> refused;
  for (const Template& each : left_out) refused.emplace(each.prefix);
  const std::vector<std::string> spellings = spellings_of("tier3");
  EXPECT_THAT(spellings, SizeIs(47));
  for (const std::string& spelling : spellings) {
    if (!refused.contains(spelling)) expect_to_load(spelling);
  }
}

TEST(TableCompleteness, SpellingsBeyondTheHistogramLoad) {
  for (const char* spelling :
       {"add.u16", "mul24.lo.s32", "mad24.hi.u32", "ld.global.relaxed.gpu.u32", "fence.acq_rel.gpu", "cvt.s16.s8",
        "cvt.rn.f16.u64", "setp.equ.f64", "slct.f32.s32", "testp.finite.f32", "vote.sync.uni.pred", "min.NaN.f32",
        "cnot.b32", "bfe.s64", "mov.b16", "fma.rn.relu.f16", "shl.b16", "red.global.add.f32"}) {
    const std::string text(spelling);
    const Template* form = template_of(text);
    std::string_view operands = form == nullptr ? std::string_view() : form->operands;
    if (text.starts_with("mul24") || text.starts_with("mad24"))
      operands = text.starts_with("mul24") ? "d, s, s" : "d, s, s, s";
    if (text.starts_with("slct")) operands = "d, w, w, w";
    if (text.starts_with("testp")) operands = "p, s";
    if (text.starts_with("cnot")) operands = "d, s";
    if (text.starts_with("vote")) operands = "p, p, w";
    if (text.starts_with("red")) operands = "[a], s";
    const Refusal refusal = refusal_of_module(module_with(text, operands));
    EXPECT_EQ(refusal.code, result::success) << text << ": " << refusal.message;
  }
}

}  // namespace
}  // namespace emulator::testing
