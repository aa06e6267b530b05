// SPDX-License-Identifier: Apache-2.0
// What environment variables change: traces, coverage, strict mode, the time limit. Each in a process of its own, since options are read once.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "machine/fault.hpp"
#include "machine/observe.hpp"
#include "program.hpp"

namespace emulator::testing {
namespace {

class Options : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

/// Two ops with spellings: value = 0 + 66, and an exit of the lower half.
struct Traced {
  Traced() {
    const auto value = code.word();
    const auto low = code.predicate();
    const auto lane = code.special("laneid");
    code.op(add, {value, value, code.constant(66)});
    code.op(less, {low, lane, code.constant(16)});
    code.op("exit").guard = low;
  }
  void run() {
    Machine machine(code);
    machine.module.spellings = {"mov.u32", "add.s32", "setp.lt.u32", "exit", "ret"};
    Function& function = code.finish();
    for (std::uint32_t pc = 0; pc < 5; ++pc) function.sources[pc].spelling = pc;
    std::exit(machine.run({2, 1, 1}, {64, 1, 1}) ? 0 : 1);
  }
  Assembler code{"traced"};
};

TEST_F(Options, TraceShowsEachOpOfTheFirstWarp) {
  EXPECT_EXIT(
      {
        setenv("CUDA_BINDINGS_EMULATOR_TRACE", "traced", 1);
        Traced().run();
      },
      ::testing::ExitedWithCode(0),
      "^traced \\(0,0,0\\) 0 0 1 mov.u32 0xffffffff\n"
      "traced \\(0,0,0\\) 0 1 2 add.s32 0xffffffff lane0=0x42\n"
      "traced \\(0,0,0\\) 0 2 3 setp.lt.u32 0xffffffff lanes=0x0000ffff\n"
      "traced \\(0,0,0\\) 0 3 4 exit 0x0000ffff\n"
      "traced \\(0,0,0\\) 0 4 5 ret 0xffff0000\n$");
}

TEST_F(Options, TraceOfAnotherKernelIsSilent) {
  EXPECT_EXIT(
      {
        setenv("CUDA_BINDINGS_EMULATOR_TRACE", "other", 1);
        Traced().run();
      },
      ::testing::ExitedWithCode(0), "^$");
}

TEST_F(Options, CoverageFileGetsEachSpellingOnce) {
  const std::string path = ::testing::TempDir() + "emulator_coverage_test.txt";
  std::remove(path.c_str());
  EXPECT_EXIT(
      {
        setenv("CUDA_BINDINGS_EMULATOR_COVERAGE", path.c_str(), 1);
        Traced().run();
      },
      ::testing::ExitedWithCode(0), "");
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "mov.u32\nadd.s32\nsetp.lt.u32\nexit\nret\n");
  std::remove(path.c_str());
}

TEST_F(Options, TimeLimitEndsAnEndlessLoop) {
  EXPECT_EXIT(
      {
        setenv("CUDA_BINDINGS_EMULATOR_TIMEOUT", "0.05", 1);
        Assembler code("endless");
        const Label again = code.label();
        code.bind(again);
        code.branch(again);
        Machine machine(code);
        machine.run({1, 1, 1}, {64, 1, 1});
        std::fputs(fault_report(*machine.fault).c_str(), stderr);
        std::exit(fault_code(machine.fault->kind) == 702 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "kernel endless: the kernel was ended .*time limit");
}

/// Runs a shuffle with this member mask in all lanes, reading lane 20, and reports the fault.
void shuffle_in_strict_mode(std::uint32_t members, std::uint32_t lanes) {
  setenv("CUDA_BINDINGS_EMULATOR_STRICT", "1", 1);
  Assembler code("strict");
  const auto lane = code.special("laneid");
  const auto inside = code.predicate();
  code.op(less, {inside, lane, code.constant(lanes)});
  code.op("shfl.sync.idx.b32",
          {code.word(), code.predicate(), lane, code.constant(20), code.constant(31), code.constant(members)})
      .guard = inside;
  Machine machine(code);
  if (machine.run({1, 1, 1}, {32, 1, 1})) std::exit(0);
  std::fputs(fault_report(*machine.fault).c_str(), stderr);
  std::exit(machine.fault->kind == FaultKind::strict ? 3 : 1);
}

TEST_F(Options, StrictModeFindsAThreadOutsideItsOwnMask) {
  EXPECT_EXIT(shuffle_in_strict_mode(0x7fffffff, 32), ::testing::ExitedWithCode(3),
              "thread .31, 0, 0.*\n.*\n.*member mask");
}

TEST_F(Options, StrictModeFindsAShuffleThatReadsALaneOutside) {
  EXPECT_EXIT(shuffle_in_strict_mode(0x0000ffff, 16), ::testing::ExitedWithCode(3), "reads a lane that takes no part");
}

TEST_F(Options, StrictModeLeavesAFullShuffleAlone) {
  EXPECT_EXIT(shuffle_in_strict_mode(0xffffffff, 32), ::testing::ExitedWithCode(0), "");
}

TEST(DestinationBits, FollowTheFirstTypeOfTheSpelling) {
  EXPECT_EQ(destination_bits("add.s32"), 32u);
  EXPECT_EQ(destination_bits("cvt.u64.u32"), 64u);
  EXPECT_EQ(destination_bits("cvt.u32.u64"), 32u);
  EXPECT_EQ(destination_bits("mul.wide.u32"), 64u);
  EXPECT_EQ(destination_bits("mul.wide.u16"), 32u);
  EXPECT_EQ(destination_bits("setp.lt.and.f64"), 1u);
  EXPECT_EQ(destination_bits("fma.rn.f16x2"), 32u);
  EXPECT_EQ(destination_bits("ld.global.v4.f32"), 32u);
  EXPECT_EQ(destination_bits("st.global.u64"), 0u);
  EXPECT_EQ(destination_bits("vote.sync.any.pred"), 1u);
  EXPECT_EQ(destination_bits("bar.sync"), 0u);
}

TEST(FaultReport, NamesPlaceThreadAddressAndNote) {
  Fault fault;
  fault.kind = FaultKind::illegal_address;
  fault.kernel = "saxpy";
  fault.function = "inner";
  fault.instruction = "ld.global.f32";
  fault.line = 41;
  fault.source_file = "saxpy.cu";
  fault.source_line = 7;
  fault.thread = {3, 1, 0};
  fault.block = {2, 0, 0};
  fault.address = 0x7000004000;
  fault.size = 4;
  fault.note = "0 bytes behind the 4000 bytes at 0x7000003060";
  EXPECT_EQ(fault_report(fault),
            "cuda_bindings emulator: kernel saxpy: illegal address, read of 4 bytes at 0x7000004000\n"
            "cuda_bindings emulator:   thread (3, 1, 0) of block (2, 0, 0)\n"
            "cuda_bindings emulator:   PTX line 41: ld.global.f32, in function inner\n"
            "cuda_bindings emulator:   source saxpy.cu:7\n"
            "cuda_bindings emulator:   0 bytes behind the 4000 bytes at 0x7000003060\n");
}

}  // namespace
}  // namespace emulator::testing
