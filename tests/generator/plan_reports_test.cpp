// SPDX-License-Identifier: Apache-2.0
// What a reviewer reads: the lock's lines, an explanation, the difference of two releases.
#include <gtest/gtest.h>

#include "plan/lock.hpp"
#include "planning.hpp"
#include "report/diff.hpp"
#include "report/explain.hpp"

namespace bindgen::testing {
namespace {

TEST(Lock, HasOneLinePerPointer) {
  const Planned planned("CUresult cuMemAlloc(CUdeviceptr *dptr, size_t bytesize)", {{"dptr", "returned"}});
  const auto lines = plan::lock_lines(planned.result);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(
      lines[0].text,
      "cuMemAlloc.dptr                                            CUdeviceptr *                                    "
      "out    callee  slot     returned-wording");
}

TEST(Lock, NamesTheRowThatDecided) {
  DataFolder data;
  data.write("overrides.toml",
             "[\"nvrtcGet*\".buffers]\nmatch = [\"nvrtcGetPTX.ptx\"]\nrole = \"out\"\nalloc = \"caller\"\n"
             "rank = \"buffer\"\nconvert = \"out_buffer\"\nhits = 1\nreason = \"the caller's memory\"\n");
  const Planned planned({declaration("CUresult nvrtcGetPTX(CUcontext prog, char *ptx)", {{"ptx", "out"}})}, data);
  EXPECT_EQ(planned.errors(), "");
  EXPECT_EQ(
      plan::lock_lines(planned.result)[0].text,
      "nvrtcGetPTX.ptx                                            char *                                           "
      "out    caller  buffer   override:nvrtcGet*.buffers");
}

TEST(Lock, MarksWeakVerdicts) {
  const Planned planned("CUresult cuEGLDisconnect(CUstream *conn)");
  EXPECT_TRUE(plan::lock_lines(planned.result)[0].is_weak);
}

TEST(Explain, TellsFactsRulesAndReasons) {
  const Planned planned("CUresult cuMemFreeHost(void *p)");
  EXPECT_EQ(report::explain(planned.function(), planned.result.decisions[0], plan::Places(planned.positions)),
            "cuMemFreeHost  (driver, cuda.h:20)\n"
            "  C:       CUresult cuMemFreeHost(void *p)\n"
            "  Python:  cuMemFreeHost(p: Any) -> tuple[CUresult]\n"
            "  symbol:  cuMemFreeHost\n"
            "  since:   the first release that is known of\n"
            "  GIL:     release\n"
            "\n"
            "  void * p\n"
            "    documentation: none\n"
            "    decided: in, alloc -, rank address, by void-address\n"
            "      const-pointee: defers\n"
            "      attribute-value: defers\n"
            "      void-address: in: void * is an address\n"
            "      kernel-parameters: defers\n"
            "      option-array: defers\n"
            "      capacity-count: defers\n"
            "      documented-tag: defers\n"
            "      returned-wording: defers\n"
            "      named-in-prose: defers\n"
            "      counted-array: defers\n"
            "      creator-first: defers\n"
            "      pointer-to-handle: defers\n"
            "      record-argument: defers\n"
            "    argument p (address): Any\n");
}

TEST(Diff, ShowsAddedRemovedAndChanged) {
  auto older = small_world();
  auto newer = small_world();
  older.functions = {declaration("CUresult cuInit(unsigned int Flags)"), declaration("CUresult cuOld(int number)")};
  newer.functions = {declaration("CUresult cuInit(unsigned int Flags)"), declaration("CUresult cuNew(int number)")};
  newer.enums[0].values.emplace_back("CU_JIT_NEW", 1);
  newer.records[0].size = 24;
  EXPECT_EQ(report::diff(older, newer, "13.0", "13.1"),
            "CUDA 13.0 -> 13.1: 1 added, 1 removed, 2 changed\n"
            "+ function cuNew: CUresult cuNew(int number)\n"
            "- function cuOld\n"
            "~ enum CUjit_option\n"
            "    + CU_JIT_NEW = 1\n"
            "~ record CUDA_MEMCPY2D_st\n"
            "    - size 16, alignment 8\n"
            "    + size 24, alignment 8\n");
}

}  // namespace
}  // namespace bindgen::testing
