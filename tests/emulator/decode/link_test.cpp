// SPDX-License-Identifier: Apache-2.0
// Several texts become one: externs resolve, private names stay private, doubles are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode/module.hpp"
#include "loading.hpp"

namespace emulator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<Module> linked(const std::vector<std::string>& texts) {
  std::vector<std::string> whole;
  for (const std::string& text : texts) whole.push_back(with_head(text));
  return Module::load(link_ptx(whole), device_memory());
}

std::string link_refusal(const std::vector<std::string>& texts) {
  try {
    linked(texts);
  } catch (const LoadError& error) {
    return error.what();
  }
  return {};
}

std::string giving(const std::string& linkage, const std::string& name, unsigned value) {
  return linkage + " .func (.param .b32 r) " + name + "()\n{\nst.param.b32 [r], " + std::to_string(value) +
         ";\nret;\n}\n";
}

const std::string declared = ".extern .func (.param .b32 r) f();\n";
const std::string caller = declared + kernel("call (%r1), f; st.global.u32 [%rd1], %r1;");

TEST(Link, ExternFunctionsResolve) {
  EXPECT_THAT(run(*linked({caller, giving(".visible", "f", 7)}), "k", 1), ElementsAre(7u));
  EXPECT_THAT(run(*linked({giving(".visible", "f", 7), caller}), "k", 1), ElementsAre(7u));
}

TEST(Link, ExternVariablesResolve) {
  const auto module = linked({".extern .global .align 4 .u32 shared_number;\n" +
                                  kernel("ld.global.u32 %r1, [shared_number]; st.global.u32 [%rd1], %r1;"),
                              ".visible .global .align 4 .u32 shared_number = 19;\n"});
  EXPECT_THAT(run(*module, "k", 1), ElementsAre(19u));
}

TEST(Link, PrivateNamesStayPrivate) {
  const auto module =
      linked({giving("", "f", 1) + ".global .u32 x = 10;\n" +
                  kernel("call (%r1), f; ld.global.u32 %r2, [x]; add.s32 %r1, %r1, %r2; st.global.u32 [%rd1], %r1;"),
              giving("", "f", 2) +
                  ".global .u32 x = 20;\n.visible .entry other(.param .u64 o) { .reg .b32 %r<4>; .reg .b64 %d; "
                  "ld.param.u64 %d, [o];"
                  "call (%r1), f; ld.global.u32 %r2, [x]; add.s32 %r1, %r1, %r2; st.global.u32 [%d], %r1; }\n"});
  EXPECT_THAT(run(*module, "k", 1), ElementsAre(11u));
  EXPECT_THAT(run(*module, "other", 1), ElementsAre(22u));
}

TEST(Link, StrongDefinitionsReplaceWeakOnes) {
  EXPECT_THAT(run(*linked({caller, giving(".weak", "f", 1), giving(".visible", "f", 2)}), "k", 1), ElementsAre(2u));
  EXPECT_THAT(run(*linked({caller, giving(".weak", "f", 3), giving(".weak", "f", 4)}), "k", 1), ElementsAre(3u));
}

TEST(Link, DroppedWeakDefinitionsAreStillDeclaredWhereTheyStood) {
  const std::string user = giving(".weak", "f", 1) + ".weak .global .align 4 .u32 x[2] = {3, 4};\n" +
                           kernel("call (%r1), f; ld.global.u32 %r2, [x+4]; st.global.v2.u32 [%rd1], {%r1, %r2};");
  const auto module = linked({user, giving(".visible", "f", 2) + ".visible .global .align 4 .u32 x[2] = {5, 6};\n"});
  EXPECT_THAT(run(*module, "k", 2), ElementsAre(2u, 6u));
}

TEST(Link, DoubleDefinitionsAreRefused) {
  EXPECT_EQ(link_refusal({giving(".visible", "f", 1), giving(".visible", "f", 2)}),
            "Multiple definition of 'f' in input 1 and input 2");
}

TEST(Link, UndefinedReferencesAreRefused) {
  EXPECT_EQ(link_refusal({caller}), "Undefined reference to 'f' in input 1");
  EXPECT_EQ(link_refusal({declared + kernel("ret;")}), "");
}

TEST(Link, SystemFunctionsNeedNoDefinition) {
  const std::string user = ".extern .func free(.param .b64 p);\n";
  EXPECT_EQ(link_refusal({user + kernel("call free, (0);"), user + ".visible .entry other { call free, (0); }\n"}), "");
}

TEST(Link, DynamicSharedMemoryIsCommon) {
  const std::string user = ".extern .shared .align 16 .b8 s[];\n";
  EXPECT_EQ(link_refusal({user + kernel("ld.shared.b32 %r1, [s];"),
                          user + ".visible .entry other { .reg .b32 %r; ld.shared.b32 %r, [s]; }\n"}),
            "");
}

TEST(Link, HeadIsTheNewestOfAll) {
  const std::string linked_text =
      link_ptx({".version 7.4\n.target sm_75\n.address_size 64\n", ".version 8.2\n.target sm_70\n.address_size 64\n"});
  EXPECT_THAT(linked_text, HasSubstr(".version 8.2\n.target sm_75\n.address_size 64\n"));
}

TEST(Link, FilesOfLinesAreRenumbered) {
  const auto module =
      linked({".visible .entry a\n{\n.loc 1 5 0\nret;\n}\n.file 1 \"a.cu\"\n",
              ".visible .entry b\n{\n.loc 1 6 0\n.loc 2 7 0, function_name $name, inlined_at 1 8 0\nret;\n}\n"
              ".file 1 \"b.cu\"\n.file 2 \"c.cu\"\n.section .debug_str\n{\n$name:\n.b8 0\n}\n"});
  const OpSource& source = module->kernel("b")->function->sources.at(0);
  EXPECT_EQ(source.source_line, 7u);
  EXPECT_EQ(module->code().files.at(source.source_file), "c.cu");
  EXPECT_EQ(module->code().files.at(module->kernel("a")->function->sources.at(0).source_file), "a.cu");
}

TEST(Link, TextErrorsKeepTheirLine) {
  try {
    link_ptx({with_head(""), with_head(".global .b32 = 4;\n")});
    FAIL();
  } catch (const LoadError& error) {
    EXPECT_EQ(error.line(), 4u);
  }
}

}  // namespace
}  // namespace emulator::testing
