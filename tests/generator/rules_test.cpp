// SPDX-License-Identifier: Apache-2.0
// For each rule: a header line that it answers, and one that it leaves alone.
#include <gtest/gtest.h>

#include "planning.hpp"

namespace bindgen::testing {
namespace {

using rules::Verdict;

std::string role(const std::optional<Verdict>& verdict) { return verdict ? verdict->role : "defers"; }

TEST(ConstPointee, AnswersForConstChar) {
  EXPECT_EQ(
      role(ask_rule(rules::const_pointee, "CUresult cuModuleLoad(CUcontext *module, const char *fname)", "fname")),
      "in");
}

TEST(ConstPointee, DefersForVoid) {
  EXPECT_EQ(role(ask_rule(rules::const_pointee, "CUresult cuModuleLoadData(const void *image)", "image")), "defers");
}

TEST(ConstPointee, DefersForAPointerToConstText) {
  EXPECT_EQ(role(ask_rule(rules::const_pointee, "CUresult cuGetErrorName(CUresult error, const char **pStr)", "pStr")),
            "defers");
}

TEST(AttributeValue, AnswersOutForAGetter) {
  const auto line = "CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)";
  const auto verdict = ask_rule(rules::attribute_value, line, "data");
  EXPECT_EQ(role(verdict), "out");
  EXPECT_EQ(verdict->alloc, "caller");
}

TEST(AttributeValue, AnswersInForASetter) {
  const auto line = "CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr)";
  EXPECT_EQ(role(ask_rule(rules::attribute_value, line, "value")), "in");
}

TEST(AttributeValue, DefersWithoutAnAttributeBesideIt) {
  EXPECT_EQ(role(ask_rule(rules::attribute_value, "CUresult cuMemFreeHost(void *p)", "p")), "defers");
}

TEST(AttributeValue, DefersForAConstAddressInAGetter) {
  const auto line = "CUresult cuRangeGet(void *data, CUpointer_attribute attribute, const void *devPtr)";
  EXPECT_EQ(role(ask_rule(rules::attribute_value, line, "devPtr")), "defers");
}

TEST(VoidAddress, AnswersForWhatTheDocumentationCallsReturned) {
  EXPECT_EQ(
      role(ask_rule(rules::void_address, "CUresult cuMemcpyDtoH(void *dstHost, size_t n)", "dstHost", "returned")),
      "in");
}

TEST(VoidAddress, DefersForAPointerToAnAddress) {
  EXPECT_EQ(role(ask_rule(rules::void_address, "CUresult cuMemAllocHost(void **pp, size_t n)", "pp")), "defers");
}

TEST(KernelParameters, AnswersInALaunch) {
  EXPECT_EQ(
      role(ask_rule(rules::kernel_parameters, "CUresult cuLaunch(CUcontext f, void **kernelParams)", "kernelParams")),
      "in");
}

TEST(KernelParameters, DefersForExtra) {
  EXPECT_EQ(role(ask_rule(rules::kernel_parameters, "CUresult cuLaunch(CUcontext f, void **extra)", "extra")),
            "defers");
}

TEST(OptionArray, AnswersForKeysAndValues) {
  const auto line = "CUresult cuLink(unsigned int numOptions, CUjit_option *options, void **optionValues)";
  EXPECT_EQ(role(ask_rule(rules::option_array, line, "options")), "in");
  EXPECT_EQ(role(ask_rule(rules::option_array, line, "optionValues")), "inout");
}

TEST(OptionArray, DefersForAddressesWithoutKeys) {
  EXPECT_EQ(role(ask_rule(rules::option_array, "CUresult cuDiscard(void **dptrs, size_t count)", "dptrs")), "defers");
}

TEST(CapacityCount, AnswersBehindTheArrayItCounts) {
  const auto line = "CUresult cuGraphGetNodes(CUcontext graph, CUgraphNode *nodes, size_t *numNodes)";
  EXPECT_EQ(role(ask_rule(rules::capacity_count, line, "numNodes", "returned")), "inout");
}

TEST(CapacityCount, DefersForASizeBesideAnAddress) {
  const auto line = "CUresult cuLinkComplete(CUcontext state, void **cubin, size_t *size)";
  EXPECT_EQ(role(ask_rule(rules::capacity_count, line, "size", "returned")), "defers");
}

TEST(DocumentedTag, AnswersForOut) {
  EXPECT_EQ(role(ask_rule(rules::documented_tag, "CUresult cuMemCreate(CUdeviceptr *handle)", "handle", "out")), "out");
}

TEST(DocumentedTag, DefersForWording) {
  EXPECT_EQ(role(ask_rule(rules::documented_tag, "CUresult cuMemAlloc(CUdeviceptr *dptr)", "dptr", "returned")),
            "defers");
}

TEST(ReturnedWording, AnswersForReturned) {
  EXPECT_EQ(role(ask_rule(rules::returned_wording, "CUresult cuMemAlloc(CUdeviceptr *dptr)", "dptr", "returned")),
            "out");
}

TEST(ReturnedWording, DefersForSilence) {
  EXPECT_EQ(role(ask_rule(rules::returned_wording, "CUresult cuMemAlloc(CUdeviceptr *dptr)", "dptr")), "defers");
}

TEST(NamedInProse, AnswersForWhatIsRead) {
  const auto line = "CUresult cuMemcpyBatch(CUdeviceptr *dsts, size_t count)";
  EXPECT_EQ(role(ask_rule(rules::named_in_prose, line, "dsts", "prose-in")), "in");
  EXPECT_EQ(role(ask_rule(rules::named_in_prose, line, "dsts", "prose-inout")), "inout");
}

TEST(NamedInProse, DefersForATag) {
  EXPECT_EQ(role(ask_rule(rules::named_in_prose, "CUresult cuX(CUdeviceptr *dptr)", "dptr", "out")), "defers");
}

TEST(CountedArray, AnswersForRecordsWithACountBehind) {
  const auto line = "CUresult cuMemcpy3DBatch(size_t numOps, CUDA_MEMCPY2D *opList, CUstream stream)";
  EXPECT_EQ(role(ask_rule(rules::counted_array, line, "opList")), "in");
}

TEST(CountedArray, DefersForHandles) {
  const auto line = "CUresult cuGraphicsMap(unsigned int count, CUstream *resources)";
  EXPECT_EQ(role(ask_rule(rules::counted_array, line, "resources")), "defers");
}

TEST(CreatorFirst, AnswersForTheFirstParameterOfACreator) {
  const auto line = "CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags)";
  EXPECT_EQ(role(ask_rule(rules::creator_first, line, "phStream")), "out");
}

TEST(CreatorFirst, DefersForALaterParameter) {
  const auto line = "CUresult cuGetMemPool(CUstream *pool, CUDA_MEMCPY2D *location)";
  EXPECT_EQ(role(ask_rule(rules::creator_first, line, "location")), "defers");
}

TEST(PointerToHandle, AnswersForAHandlesSlot) {
  EXPECT_EQ(role(ask_rule(rules::pointer_to_handle, "CUresult cuEGLDisconnect(CUstream *conn)", "conn")), "in");
}

TEST(PointerToHandle, DefersForAnIntegerLike) {
  EXPECT_EQ(role(ask_rule(rules::pointer_to_handle, "CUresult cuX(CUdeviceptr *dptr)", "dptr")), "defers");
}

TEST(RecordArgument, AnswersForARecord) {
  EXPECT_EQ(role(ask_rule(rules::record_argument, "CUresult cuLock(int pid, CUDA_MEMCPY2D *args)", "args")), "in");
}

TEST(RecordArgument, DefersForANumber) {
  EXPECT_EQ(role(ask_rule(rules::record_argument, "CUresult cuX(int pid, unsigned int *count)", "count")), "defers");
}

std::optional<std::size_t> count_of(const std::string& line, const std::string& parameter) {
  static std::optional<std::size_t> found;
  const auto remember = [](const rules::PointerParameter& asked) -> std::optional<Verdict> {
    found = asked.counted_by();
    return std::nullopt;
  };
  ask_rule(remember, line, parameter);
  return found;
}

TEST(CountOfAnArray, StandsBehindItsRun) {
  EXPECT_EQ(
      count_of("CUresult cuSignal(const CUstream *sems, const CUDA_MEMCPY2D *params, unsigned int numSems)", "sems"),
      2U);
}

TEST(CountOfAnArray, StandsBeforeIt) {
  EXPECT_EQ(count_of("CUresult cuMap(unsigned int count, CUstream *resources)", "resources"), 0U);
}

TEST(CountOfAnArray, BelongsToTheArraysBeforeItFirst) {
  const auto line =
      "CUresult cuGraphAdd(const CUgraphNode *dependencies, size_t numDependencies, const CUDA_MEMCPY2D *params)";
  EXPECT_EQ(count_of(line, "params"), std::nullopt);
}

TEST(CountOfAnArray, IsNoByteCountBehindAnAddress) {
  EXPECT_EQ(count_of("CUresult cuMemcpyHtoD(CUdeviceptr dst, const void *srcHost, size_t ByteCount)", "srcHost"),
            std::nullopt);
}

TEST(Chain, TakesTheFirstAnswer) {
  const auto facts = small_world();
  const plan::TypeTable table(facts);
  const auto function = declaration("CUresult cuMemcpyDtoH(void *dstHost)", {{"dstHost", "out"}});
  const auto result = rules::ask({function, 0, table, sample_rule_data()});
  EXPECT_EQ(result.verdict->rule, "void-address");
  EXPECT_FALSE(result.conflict);
}

TEST(Chain, NoticesDocumentationThatContradicts) {
  const auto facts = small_world();
  const plan::TypeTable table(facts);
  const auto function = declaration("CUresult cuSet(const CUDA_MEMCPY2D *value)", {{"value", "out"}});
  const auto result = rules::ask({function, 0, table, sample_rule_data()});
  EXPECT_EQ(result.verdict->rule, "const-pointee");
  EXPECT_EQ(result.conflict->rule, "documented-tag");
}

}  // namespace
}  // namespace bindgen::testing
