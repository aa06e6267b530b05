// SPDX-License-Identifier: Apache-2.0
// A header line in, its Python signature out: arguments, outputs, and what feeds the call.
#include <gtest/gtest.h>

#include "plan/functions.hpp"
#include "plan/json.hpp"
#include "planning.hpp"
#include "report/explain.hpp"

namespace bindgen::testing {
namespace {

std::string signature(const Planned& planned) {
  EXPECT_EQ(planned.errors(), "");
  return report::python_signature(planned.function());
}

// "cuMemAlloc: output 0, argument 0"
std::string feeds(const Planned& planned) {
  std::string text;
  for (const auto& slot : planned.function().call) {
    text += (text.empty() ? "" : ", ") + slot.feed + " " + std::to_string(slot.index);
  }
  return text;
}

TEST(Signature, LeavesOutputsOutOfTheArguments) {
  const Planned planned("CUresult cuMemAlloc(CUdeviceptr *dptr, size_t bytesize)", {{"dptr", "returned"}});
  EXPECT_EQ(signature(planned), "cuMemAlloc(bytesize: int) -> tuple[CUresult, CUdeviceptr]");
  EXPECT_EQ(feeds(planned), "output 0, argument 0");
}

TEST(Signature, RenamesWhatPythonCallsOtherwise) {
  const Planned planned("CUresult cuDeviceGetName(int len, CUdevice dev)");
  EXPECT_EQ(signature(planned), "cuDeviceGetName(length: int, dev: CUdevice | None) -> tuple[CUresult]");
}

TEST(Signature, RefusesNoneWhereNoneWouldBeAValue) {
  DataFolder data;
  data.write("classes.toml",
             "[handle_bases]\n[none_refused]\nnames = [\"CUdevice\"]\n[handle_kinds]\n[list_members]\n[field_kinds]\n");
  const Planned planned({declaration("CUresult cuDeviceReset(CUdevice dev)")}, data);
  EXPECT_EQ(signature(planned), "cuDeviceReset(dev: CUdevice) -> tuple[CUresult]");
}

TEST(Signature, TakesListsWithTheirCount) {
  const Planned planned("CUresult cuAdd(const CUgraphNode *nodes, size_t numNodes)");
  EXPECT_EQ(signature(planned), "cuAdd(nodes: Sequence[CUgraphNode] | None, numNodes: int) -> tuple[CUresult]");
  EXPECT_EQ(planned.function().arguments[0].details.dump(),
            R"({"type":"CUgraphNode","count":"numNodes","check_count":true,"nullable":true})");
}

TEST(Signature, TakesAsManyElementsAsTheRankOfATensorMap) {
  DataFolder data;
  data.write("conversions.toml",
             "attribute_enums = []\noption_enums = []\n[optional_elements]\n[addresses]\n"
             "[tensor_rank]\nparameter = \"rank\"\nmax_length = 5\nfewer = { strides = 1 }\n");
  const Planned planned({declaration("CUresult cuEncode(unsigned int rank, const int *sizes, const int *strides)")},
                        data);
  EXPECT_EQ(planned.errors(), "");
  EXPECT_EQ(planned.function().arguments[1].details["rank"], "rank");
  EXPECT_EQ(planned.function().arguments[1].details["fewer"], 0);
  EXPECT_EQ(planned.function().arguments[2].details["fewer"], 1);
  EXPECT_EQ(planned.function().arguments[2].details["rank"], "rank");
}

TEST(Signature, ReturnsArraysAsLongAsTheirCount) {
  const Planned planned("CUresult cuEnumerate(CUgraphNode *nodes, unsigned int numNodes)", {{"nodes", "returned"}});
  EXPECT_EQ(signature(planned), "cuEnumerate(numNodes: int) -> tuple[CUresult, list[CUgraphNode]]");
  EXPECT_EQ(planned.function().outputs[0].details.dump(), R"({"type":"CUgraphNode","capacity_from":null,"length":0})");
}

TEST(Signature, AsksForRoomWhereTheCountIsInAndOut) {
  const Planned planned("CUresult cuGraphGetNodes(CUcontext graph, CUgraphNode *nodes, size_t *numNodes)",
                        {{"nodes", "returned"}, {"numNodes", "returned"}});
  EXPECT_EQ(signature(planned),
            "cuGraphGetNodes(graph: CUcontext | None, numNodes: int = 0) -> tuple[CUresult, list[CUgraphNode], int]");
  EXPECT_EQ(feeds(planned), "argument 0, output 0, output 1");
}

TEST(Signature, CopiesArraysThatTheDriverOwns) {
  const Planned planned("CUresult cuInfo(const CUgraphNode **nodes_out, size_t *num_out)",
                        {{"nodes_out", "returned"}, {"num_out", "returned"}});
  EXPECT_EQ(signature(planned), "cuInfo() -> tuple[CUresult, list[CUgraphNode], int]");
  EXPECT_EQ(planned.function().outputs[0].details.dump(), R"({"type":"CUgraphNode","length":1})");
}

TEST(Signature, TypesAttributeValuesByTheirEnum) {
  const Planned planned("CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)");
  EXPECT_EQ(signature(planned),
            "cuPointerGetAttribute(attribute: CUpointer_attribute, ptr: CUdeviceptr | None) -> tuple[CUresult, Any]");
  EXPECT_EQ(planned.function().arguments[0].convert, "attribute");
  EXPECT_EQ(planned.function().outputs[0].details.dump(),
            R"({"table":"CUpointer_attribute","attribute":0,"size":null})");
}

TEST(Signature, JoinsOptionsValuesAndCount) {
  const Planned planned("CUresult cuLink(unsigned int numOptions, CUjit_option *options, void **optionValues)");
  EXPECT_EQ(signature(planned),
            "cuLink(numOptions: int, options: Sequence[CUjit_option] | None, optionValues: Sequence[Any] | None) -> "
            "tuple[CUresult]");
  EXPECT_EQ(planned.function().arguments[0].convert, "jit_count");
  EXPECT_EQ(planned.function().arguments[1].details.dump(),
            R"({"composite":0,"python_count":"numOptions","table":"CUjit_option","python_options":"options",)"
            R"("python_values":"optionValues","nullable":true})");
}

TEST(Signature, KnowsTheByteLengthOfHostMemory) {
  DataFolder data;
  data.write("conversions.toml",
             "attribute_enums = []\noption_enums = []\n[optional_elements]\n[addresses]\n"
             "\"cuMemcpyHtoD.srcHost\" = { access = \"read\", bytes = \"len\" }\n");
  const Planned planned({declaration("CUresult cuMemcpyHtoD(CUdeviceptr dst, const void *srcHost, size_t len)")}, data);
  EXPECT_EQ(signature(planned), "cuMemcpyHtoD(dst: CUdeviceptr | None, srcHost: Any, length: int) -> tuple[CUresult]");
  EXPECT_EQ(planned.function().arguments[1].details.dump(), R"({"access":"read","bytes":"length","nullable":true})");
}

TEST(Signature, ReturnsTextsAsBytes) {
  const Planned planned("CUresult cuGetErrorName(CUresult error, const char **pStr)", {{"pStr", "returned"}});
  EXPECT_EQ(signature(planned), "cuGetErrorName(error: CUresult) -> tuple[CUresult, bytes | None]");
}

TEST(Signature, TakesRecordsByValueOnlyAsRecords) {
  const Planned planned("CUresult cuAdvise(CUDA_MEMCPY2D location, const CUDA_MEMCPY2D *copy)");
  EXPECT_EQ(signature(planned), "cuAdvise(location: CUDA_MEMCPY2D, copy: CUDA_MEMCPY2D | None) -> tuple[CUresult]");
}

TEST(Signature, KeepsATypedefOfAnEnumAsItsOwnClass) {
  const Planned planned("CUresult cuStreamGet(CUstreamAttrID attr)");
  EXPECT_EQ(signature(planned), "cuStreamGet(attr: CUstreamAttrID) -> tuple[CUresult]");
}

TEST(Signature, ReturnsABareRecordFromAnInlineFunction) {
  auto function = declaration("CUDA_MEMCPY2D make_copy(size_t pitch)");
  function.is_inline = true;
  const Planned planned({function}, DataFolder{});
  EXPECT_EQ(signature(planned), "make_copy(pitch: int) -> CUDA_MEMCPY2D");
}

TEST(Signature, OffersTheCurrentLinkNameAsWell) {
  auto function = declaration("CUresult cuMemFree(CUdeviceptr dptr)");
  function.link = "cuMemFree_v2";
  const Planned planned({function}, DataFolder{});
  EXPECT_EQ(planned.function().aliases, std::vector<std::string>{"cuMemFree_v2"});
  EXPECT_EQ(planned.function().prototype, "CUresult cuMemFree_v2(CUdeviceptr dptr)");
}

TEST(Signature, LeavesOutOldFormsOfAPublicName) {
  auto old = declaration("CUresult cuMemFree(unsigned int dptr)");
  old.visibility = "internal";
  auto current = declaration("CUresult cuMemFree(CUdeviceptr dptr)");
  current.link = "cuMemFree_v2";
  const Planned planned({current, old}, DataFolder{});
  ASSERT_EQ(planned.result.plan.functions.size(), 1U);
  EXPECT_EQ(planned.function().link, "cuMemFree_v2");
}

TEST(Signature, KeepsAnExplicitOldForm) {
  auto old = declaration("CUresult cuCtxCreate_v2(unsigned int flags)");
  old.visibility = "internal";
  const Planned planned({old}, DataFolder{});
  EXPECT_EQ(signature(planned), "cuCtxCreate_v2(flags: int) -> tuple[CUresult]");
}

TEST(Prototype, NamesAnInlineFunctionPointer) {
  EXPECT_EQ(plan::prototype_of(
                declaration("nvrtcResult nvrtcSetFlowCallback(int (*callback)(void *, void *), void *payload)")),
            "nvrtcResult nvrtcSetFlowCallback(int (*callback)(void *, void *), void *payload)");
}

}  // namespace
}  // namespace bindgen::testing
