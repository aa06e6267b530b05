// SPDX-License-Identifier: Apache-2.0
// Kernels from PTX text, decoded and run: what the hand-made functions cannot show.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decode/module.hpp"
#include "program.hpp"

namespace emulator::testing {
namespace {

/// Zeroed device memory of 32-bit words.
class DeviceWords {
 public:
  explicit DeviceWords(std::size_t count) : count_(count), allocation_(*test_memory().allocate(4 * count, kind)) {
    std::memset(allocation_.host, 0, 4 * count);
  }
  ~DeviceWords() { test_memory().release(allocation_.begin); }
  DeviceWords(const DeviceWords&) = delete;
  DeviceWords& operator=(const DeviceWords&) = delete;

  [[nodiscard]] std::uint64_t address() const { return allocation_.begin; }
  [[nodiscard]] std::vector<std::uint32_t> read() const {
    std::vector<std::uint32_t> words(count_);
    std::memcpy(words.data(), allocation_.host, 4 * count_);
    return words;
  }

 private:
  static constexpr AllocationKind kind = AllocationKind::device;
  std::size_t count_;
  Allocation allocation_;
};

/// Runs the kernel "test" of a text whose only parameter is an address.
struct PtxRun {
  PtxRun(const std::string& body, const DeviceWords& memory, Dim3 grid, Dim3 block, bool cooperative = false) {
    const std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n" + body;
    module = Module::load(text, test_memory());
    Launch launch;
    launch.kernel = module->kernel("test");
    launch.grid = grid;
    launch.block = block;
    launch.cooperative = cooperative;
    launch.parameters.resize(8);
    const std::uint64_t address = memory.address();
    std::memcpy(launch.parameters.data(), &address, 8);
    DeviceServices services;
    services.memory = &test_memory();
    const std::atomic<bool> abandon{false};
    fault = run_grid(launch, services, abandon);
  }
  std::unique_ptr<Module> module;
  std::optional<Fault> fault;
};

TEST(Ptx, NaiveSpinLockOfAllThreads) {
  const DeviceWords memory(2);  // lock, counter
  const PtxRun run(R"(
.visible .entry test(.param .u64 p) {
  .reg .pred %q; .reg .b32 %r<4>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
AGAIN:
  atom.global.cas.b32 %r1, [%rd1], 0, 1;
  setp.ne.s32 %q, %r1, 0;
  @%q bra AGAIN;
  ld.volatile.global.u32 %r2, [%rd1+4];
  add.s32 %r2, %r2, 1;
  st.volatile.global.u32 [%rd1+4], %r2;
  membar.gl;
  atom.global.exch.b32 %r1, [%rd1], 0;
  ret;
})",
                   memory, {3, 1, 1}, {70, 1, 1});
  ASSERT_FALSE(run.fault.has_value()) << fault_report(*run.fault);
  EXPECT_EQ(memory.read(), (std::vector<std::uint32_t>{0, 210}));
}

TEST(Ptx, RecursionWithLocalVariablesOfEachActivation) {
  // sum(n) keeps n in its own local variable across the call.
  const DeviceWords memory(32);
  const PtxRun run(R"(
.func (.param .b32 result) sum(.param .b32 n) {
  .local .align 4 .b8 kept[4];
  .reg .pred %q; .reg .b32 %r<5>; .reg .b64 %rd<2>;
  ld.param.u32 %r1, [n];
  mov.u64 %rd1, kept;
  st.local.u32 [%rd1], %r1;
  mov.u32 %r4, 0;
  setp.eq.s32 %q, %r1, 0;
  @%q bra DONE;
  sub.s32 %r2, %r1, 1;
  {
    .param .b32 a; .param .b32 b;
    st.param.b32 [a], %r2;
    call (b), sum, (a);
    ld.param.b32 %r3, [b];
  }
  ld.local.u32 %r4, [%rd1];
  add.s32 %r4, %r4, %r3;
DONE:
  st.param.b32 [result], %r4;
  ret;
}
.visible .entry test(.param .u64 p) {
  .reg .b32 %r<3>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  {
    .param .b32 a; .param .b32 b;
    st.param.b32 [a], %r1;
    call (b), sum, (a);
    ld.param.b32 %r2, [b];
  }
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  st.global.u32 [%rd1], %r2;
  ret;
})",
                   memory, {1, 1, 1}, {32, 1, 1});
  ASSERT_FALSE(run.fault.has_value()) << fault_report(*run.fault);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t n = 0; n < 32; ++n) expected.push_back(n * (n + 1) / 2);
  EXPECT_EQ(memory.read(), expected);
}

TEST(Ptx, CallThroughATableOfFunctions) {
  const DeviceWords memory(32);
  const PtxRun run(R"(
.func (.param .b32 result) twice(.param .b32 n) {
  .reg .b32 %r<2>;
  ld.param.u32 %r1, [n];
  shl.b32 %r1, %r1, 1;
  st.param.b32 [result], %r1;
  ret;
}
.func (.param .b32 result) negate(.param .b32 n) {
  .reg .b32 %r<2>;
  ld.param.u32 %r1, [n];
  neg.s32 %r1, %r1;
  st.param.b32 [result], %r1;
  ret;
}
.global .align 8 .u64 table[2] = {twice, negate};
.visible .entry test(.param .u64 p) {
  .reg .b32 %r<4>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 1;
  mul.wide.u32 %rd2, %r2, 8;
  mov.u64 %rd3, table;
  add.s64 %rd3, %rd3, %rd2;
  ld.global.u64 %rd4, [%rd3];
  {
    .param .b32 a; .param .b32 b;
    st.param.b32 [a], %r1;
    proto : .callprototype (.param .b32 _) _ (.param .b32 _);
    call (b), %rd4, (a), proto;
    ld.param.b32 %r3, [b];
  }
  mul.wide.u32 %rd5, %r1, 4;
  add.s64 %rd1, %rd1, %rd5;
  st.global.u32 [%rd1], %r3;
  ret;
})",
                   memory, {1, 1, 1}, {32, 1, 1});
  ASSERT_FALSE(run.fault.has_value()) << fault_report(*run.fault);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t n = 0; n < 32; ++n) expected.push_back(n % 2 == 0 ? 2 * n : 0u - n);
  EXPECT_EQ(memory.read(), expected);
}

TEST(Ptx, GridSyncAsTheCompilerInlinesIt) {
  // memory[block] = sum over blocks of what each wrote before the sync.
  const DeviceWords memory(32);
  const std::string sync = R"(
  barrier.sync 0;
  @%q bra SKIP;
  atom.add.release.gpu.u32 %r10, [%rd9+4], %r11;
WAIT:
  ld.acquire.gpu.u32 %r12, [%rd9+4];
  xor.b32 %r12, %r12, %r10;
  setp.gt.s32 %w, %r12, -1;
  @%w bra WAIT;
SKIP:
  barrier.sync 0;
)";
  const PtxRun run(R"(
.visible .entry test(.param .u64 p) {
  .reg .pred %q, %w, %f; .reg .b32 %r<20>; .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %envreg1;
  mov.u32 %r2, %envreg2;
  cvt.u64.u32 %rd7, %r1;
  shl.b64 %rd7, %rd7, 32;
  cvt.u64.u32 %rd8, %r2;
  or.b64 %rd9, %rd7, %rd8;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %nctaid.x;
  setp.ne.s32 %q, %r3, 0;
  setp.eq.s32 %f, %r4, 0;
  mov.u32 %r6, -2147483647;
  sub.s32 %r6, %r6, %r5;
  selp.b32 %r11, %r6, 1, %f;
  add.s32 %r7, %r4, 1;
  @!%q red.global.add.u32 [%rd1+64], %r7;
)" + sync + R"(
  ld.global.u32 %r8, [%rd1+64];
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  @!%q st.global.u32 [%rd3], %r8;
  ret;
})",
                   memory, {10, 1, 1}, {64, 1, 1}, true);
  ASSERT_FALSE(run.fault.has_value()) << fault_report(*run.fault);
  std::vector<std::uint32_t> expected(32, 0);
  std::fill_n(expected.begin(), 10, 55);
  expected[16] = 55;
  EXPECT_EQ(memory.read(), expected);
}

TEST(Ptx, AFaultNamesTheInstructionAndItsLine) {
  const DeviceWords memory(1);
  const PtxRun run(R"(
.visible .entry test(.param .u64 p) {
  .reg .b32 %r<3>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  st.global.u32 [%rd1], %r1;
  ret;
})",
                   memory, {1, 1, 1}, {5, 1, 1});
  ASSERT_TRUE(run.fault.has_value());
  EXPECT_EQ(run.fault->kind, FaultKind::illegal_address);
  EXPECT_EQ(run.fault->kernel, "test");
  EXPECT_EQ(run.fault->instruction, "st.global.u32");
  EXPECT_EQ(run.fault->line, 11u);
  EXPECT_EQ(run.fault->thread.x, 1u);
  EXPECT_EQ(run.fault->address, memory.address() + 4);
  EXPECT_TRUE(run.fault->is_write);
}

TEST(Ptx, BarriersAndCollectivesAsWritten) {
  // Votes, matches and reductions over a warp whose upper half is gone, then a named barrier with the other warp.
  const DeviceWords memory(64);
  const PtxRun run(R"(
.visible .entry test(.param .u64 p) {
  .reg .pred %q, %w; .reg .b32 %r<12>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mov.u32 %r9, %laneid;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  setp.gt.u32 %q, %r9, 15;
  @%q exit;
  and.b32 %r2, %r1, 1;
  match.any.sync.b32 %r3, %r2, 0xffffffff;
  setp.eq.u32 %w, %r2, 1;
  vote.sync.ballot.b32 %r4, %w, 0xffffffff;
  redux.sync.add.u32 %r5, %r2, 0xffffffff;
  shfl.sync.bfly.b32 %r6|%w, %r1, 1, 31, 0xffffffff;
  bar.warp.sync 0xffffffff;
  barrier.sync 2, 64;
  bar.red.popc.u32 %r7, 0, %w;
  add.s32 %r8, %r3, %r4;
  add.s32 %r8, %r8, %r5;
  add.s32 %r8, %r8, %r6;
  mad.lo.s32 %r8, %r7, 65536, %r8;
  st.global.u32 [%rd3], %r8;
  ret;
})",
                   memory, {1, 1, 1}, {64, 1, 1});
  ASSERT_FALSE(run.fault.has_value()) << fault_report(*run.fault);
  std::vector<std::uint32_t> expected(64, 0);
  for (std::uint32_t thread = 0; thread < 64; ++thread) {
    if (thread % 32 > 15) continue;
    const std::uint32_t match = thread % 2 == 0 ? 0x5555 : 0xaaaa;
    expected[thread] = match + 0xaaaa + 8 + (thread ^ 1u) + 32 * 65536;
  }
  EXPECT_EQ(memory.read(), expected);
}

}  // namespace
}  // namespace emulator::testing
