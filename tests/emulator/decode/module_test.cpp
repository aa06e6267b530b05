// SPDX-License-Identifier: Apache-2.0
// Loading: versions and targets, variables and their initial values, what is found by name, what is refused.
#include "decode/module.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode/messages.hpp"
#include "loading.hpp"

namespace emulator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string head(const char* version, const char* target) {
  return std::string(".version ") + version + "\n.target " + target + "\n.address_size 64\n";
}

TEST(Versions, UpTo90Load) {
  EXPECT_EQ(refusal_of_module(head("7.0", "sm_52")).code, result::success);
  EXPECT_EQ(refusal_of_module(head("9.0", "sm_80")).code, result::success);
}

TEST(Versions, NewerOnesAreUnsupported) {
  const Refusal refusal = refusal_of_module(head("9.1", "sm_80"));
  EXPECT_EQ(refusal.code, result::unsupported_ptx_version);
  EXPECT_EQ(refusal.line, 1u);
  EXPECT_EQ(refusal.message, "Unsupported .version 9.1; current version is '9.0'");
}

TEST(Targets, AboveTheClaimAreRefusedWithTheRemedy) {
  const Refusal refusal = refusal_of_module(head("8.0", "sm_90"));
  EXPECT_EQ(refusal.code, result::invalid_ptx);
  EXPECT_EQ(refusal.line, 2u);
  EXPECT_THAT(refusal.message, HasSubstr("compiled for sm_90"));
  EXPECT_THAT(refusal.message, HasSubstr("compute capability 8.0"));
  EXPECT_THAT(refusal.message, HasSubstr("CUDA_BINDINGS_EMULATOR_CC"));
}

TEST(Targets, OfOneArchitectureOnlyAreRefused) {
  EXPECT_THAT(refusal_of_module(head("8.0", "sm_90a")).message, HasSubstr("one architecture only"));
}

TEST(Targets, From50OnLoad) {
  EXPECT_EQ(refusal_of_module(head("8.0", "sm_50")).code, result::success);
  EXPECT_EQ(refusal_of_module(head("8.0", "sm_37")).code, result::invalid_ptx);
}

TEST(Messages, AreWrittenAsThePtxAssemblerDoes) {
  EXPECT_EQ(jit_error_text(LoadError(result::invalid_ptx, 12, "Unknown symbol 'x'")),
            "ptxas application ptx input, line 12; error   : Unknown symbol 'x'\n"
            "ptxas fatal   : Ptx assembly aborted due to errors");
  EXPECT_EQ(jit_error_text(LoadError(result::invalid_ptx, 0, "Nothing to link")), "ptxas fatal   : Nothing to link");
}

TEST(Refusals, NameUnknownWordsAndLeftOutOnesApart) {
  const Refusal unknown = refusal_of(kernel("frobnicate.u32 %r1, %r2;"));
  EXPECT_EQ(unknown.line, 11u);
  EXPECT_EQ(unknown.message, "Not a name of any known instruction: 'frobnicate.u32'");
  EXPECT_EQ(refusal_of(kernel("add.rq.f32 %r1, %r2, %r3;")).message,
            "Instruction 'add.rq.f32' is not supported by the emulated device");
  EXPECT_EQ(refusal_of(kernel("cp.async.wait_all;")).message,
            "Instruction 'cp.async.wait_all' is not supported by the emulated device");
}

TEST(Refusals, SpacesOfVariablesMustMatch) {
  EXPECT_THAT(refusal_of(".global .b32 g;\n" + kernel("ld.shared.b32 %r1, [g];")).message,
              HasSubstr("State space mismatch"));
  EXPECT_THAT(refusal_of(".shared .b32 s;\n" + kernel("ld.global.b32 %r1, [s];")).message,
              HasSubstr("State space mismatch"));
}

TEST(Refusals, SymbolsMustBeThere) {
  EXPECT_EQ(refusal_of(".extern .global .b32 g;\n" + kernel("ld.global.b32 %r1, [g];")).message,
            "unresolved extern symbol 'g'");
  EXPECT_EQ(refusal_of(kernel("mov.u64 %rd2, nowhere;")).code, result::invalid_ptx);
}

TEST(Refusals, NamesAreDefinedOnce) {
  EXPECT_THAT(refusal_of(".global .b32 a;\n.global .b32 a;\n").message, HasSubstr("'a'"));
  EXPECT_THAT(refusal_of(".func f { ret; }\n.func f { ret; }\n").message, HasSubstr("'f'"));
  EXPECT_EQ(refusal_of(".extern .global .b32 a;\n.visible .global .b32 a = 4;\n").code, result::success);
}

TEST(Variables, AreFoundByNameWithTheirInitialValues) {
  const auto module =
      load(".global .align 4 .u32 numbers[4] = {1, 2, 0x30};\n.const .align 8 .f64 half = 0d3FE0000000000000;\n");
  const auto numbers = module->variable("numbers");
  ASSERT_TRUE(numbers);
  EXPECT_EQ(numbers->size, 16u);
  EXPECT_EQ(peek<std::uint32_t>(numbers->address + 8), 0x30u);
  EXPECT_EQ(peek<std::uint32_t>(numbers->address + 12), 0u);
  ASSERT_TRUE(module->variable("half"));
  EXPECT_EQ(peek<double>(module->variable("half")->address), 0.5);
  EXPECT_FALSE(module->variable("quarter"));
}

TEST(Variables, AreConstantOrNot) {
  const auto module = load(".global .b32 g;\n.const .b32 c;\n.global .attribute(.managed) .b32 m;\n");
  const auto kind = [&](const char* name) { return device_memory().find(module->variable(name)->address)->kind; };
  EXPECT_EQ(kind("g"), AllocationKind::variable);
  EXPECT_EQ(kind("c"), AllocationKind::constant);
  EXPECT_EQ(kind("m"), AllocationKind::managed);
}

TEST(Variables, InitialisersHoldAddresses) {
  const auto module = load(R"(
.func f { ret; }
.func g { ret; }
.global .align 4 .b32 list[8];
.global .align 8 .u64 inside = list+12;
.global .align 8 .u64 generic_inside = generic(list)+4;
.global .align 8 .u64 functions[3] = {0, f, g};
)");
  const std::uint64_t list = module->variable("list")->address;
  EXPECT_EQ(peek<std::uint64_t>(module->variable("inside")->address), list + 12);
  EXPECT_EQ(peek<std::uint64_t>(module->variable("generic_inside")->address), list + 4);
  const std::uint64_t functions = module->variable("functions")->address;
  EXPECT_EQ(peek<std::uint64_t>(functions), 0u);
  EXPECT_EQ(peek<std::uint64_t>(functions + 8), device_memory().code_window());
  EXPECT_EQ(peek<std::uint64_t>(functions + 16), device_memory().code_window() + 16);
}

TEST(Variables, EachLoadHasItsOwn) {
  const std::string text =
      ".global .u32 counter = 3;\n" + kernel("atom.global.add.u32 %r1, [counter], 1; st.global.u32 [%rd1], %r1;");
  const auto one = load(text);
  const auto other = load(text);
  EXPECT_NE(one->variable("counter")->address, other->variable("counter")->address);
  EXPECT_THAT(run(*one, "k", 1), ElementsAre(3u));
  EXPECT_THAT(run(*one, "k", 1), ElementsAre(4u));
  EXPECT_THAT(run(*other, "k", 1), ElementsAre(3u));
}

TEST(Variables, MemoryComesBack) {
  const std::uint64_t before = device_memory().free_bytes();
  {
    const auto module = load(".global .b8 big[1000000];\n");
    EXPECT_LE(device_memory().free_bytes(), before - 1000000);
  }
  EXPECT_EQ(device_memory().free_bytes(), before);
  EXPECT_EQ(refusal_of(".global .b8 big[1000000];\n.global .u64 x = nowhere;\n").code, result::invalid_ptx);
  EXPECT_EQ(device_memory().free_bytes(), before);
}

TEST(Variables, MayBeTooLarge) {
  EXPECT_EQ(refusal_of(".global .b8 big[1000000000];\n").code, result::out_of_memory);
  EXPECT_THAT(refusal_of(".const .b8 big[65540];\n").message, HasSubstr("65540 bytes, 65536 max"));
}

TEST(Variables, AccessesBeyondThemAreFaults) {
  const auto module =
      load(".global .align 4 .b8 ten[10];\n" + kernel("ld.global.u16 %h1, [ten+8]; ld.global.u16 %h2, [ten+10];"));
  const auto fault = launch(*module->kernel("k"), {});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::illegal_address);
  EXPECT_EQ(fault->address, module->variable("ten")->address + 10);
}

TEST(Kernels, AreFoundByNameVisibleOrNot) {
  const auto module = load(".visible .entry a { ret; }\n.entry b { ret; }\n.func c { ret; }\n");
  ASSERT_NE(module->kernel("a"), nullptr);
  ASSERT_NE(module->kernel("b"), nullptr);
  EXPECT_EQ(module->kernel("c"), nullptr);
  EXPECT_EQ(module->kernels().size(), 2u);
  EXPECT_EQ(module->kernel("a")->module, &module->code());
  EXPECT_EQ(module->kernel("a")->ptx_version, 80u);
  EXPECT_EQ(module->kernel("a")->target, 80u);
}

TEST(Kernels, KnowTheirLaunchBounds) {
  const auto module = load(".entry a .maxntid 16, 8, 1 { ret; }\n.entry b .reqntid 64 { ret; }\n.entry c { ret; }\n");
  EXPECT_EQ(module->kernel("a")->max_threads, 128u);
  EXPECT_EQ(module->kernel("b")->max_threads, 64u);
  EXPECT_EQ(module->kernel("b")->required_threads[0], 64u);
  EXPECT_EQ(module->kernel("c")->max_threads, 1024u);
}

TEST(Kernels, ThatReadTheGridsWorkspaceAreKnown) {
  const auto module = load(R"(
.func sync { .reg .b32 %r; mov.u32 %r, %envreg2; }
.entry with { call sync; }
.entry without { ret; }
)");
  EXPECT_TRUE(module->kernel("with")->uses_grid_sync);
  EXPECT_FALSE(module->kernel("without")->uses_grid_sync);
}

}  // namespace
}  // namespace emulator::testing
