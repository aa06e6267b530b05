// SPDX-License-Identifier: Apache-2.0
// Lists as arguments: snapshots, checked elements, counts, and what one element means.
#include "embedded_python.hpp"

namespace cuda_bindings::testing {

namespace {

int read_nodes(HandleList& list, const std::string& expression, bool has_count, size_t count) {
  return list.read(eval(expression).get(), HANDLE_CUgraphNode, true, has_count, count, "cuGraphAddEmptyNode",
                   "dependencies");
}

}  // namespace

TEST(HandleLists, PackValuesInTheHandlesWidth) {
  HandleList nodes;
  ASSERT_EQ(read_nodes(nodes, "[driver.CUgraphNode(1), runtime.cudaGraphNode_t(2)]", true, 2), 0);
  EXPECT_EQ(static_cast<std::uint64_t*>(nodes.data)[0], 1u);
  EXPECT_EQ(static_cast<std::uint64_t*>(nodes.data)[1], 2u);
  HandleList devices;
  const Reference list = eval("(driver.CUdevice(3), driver.CUdevice(-4))");
  ASSERT_EQ(devices.read(list.get(), HANDLE_CUdevice, false, false, 0, "cuF", "devices"), 0);
  EXPECT_EQ(static_cast<int*>(devices.data)[1], -4);
}

TEST(HandleLists, OfOneElementPassTheElementsOwnSlot) {
  run("node = driver.CUgraphNode(5)");
  HandleList nodes;
  ASSERT_EQ(read_nodes(nodes, "[node]", true, 1), 0);
  *static_cast<std::uint64_t*>(nodes.data) = 6;
  EXPECT_TRUE(holds("int(node) == 6"));
}

TEST(HandleLists, AreEmptyForNone) {
  HandleList nodes;
  EXPECT_EQ(read_nodes(nodes, "None", true, 0), 0);
  EXPECT_EQ(nodes.data, nullptr);
  HandleList empty;
  EXPECT_EQ(read_nodes(empty, "[]", true, 0), 0);
  EXPECT_EQ(empty.data, nullptr);
}

TEST(HandleLists, CheckEveryElement) {
  for (const char* expression :
       {"[driver.CUgraphNode(1), driver.CUstream(1)]", "[driver.CUgraphNode(1), 1]", "[driver.CUgraphNode(1), None]"}) {
    HandleList nodes;
    EXPECT_EQ(read_nodes(nodes, expression, false, 0), -1);
    EXPECT_TRUE(raised("TypeError", "cuGraphAddEmptyNode(): parameter 'dependencies'[1]: got "));
  }
  for (const char* expression : {"5", "{driver.CUgraphNode(1)}", "driver.CUgraphNode(1)"}) {
    HandleList nodes;
    EXPECT_EQ(read_nodes(nodes, expression, false, 0), -1);
    EXPECT_TRUE(raised("TypeError", "accepts a list or tuple of CUgraphNode, or None"));
  }
}

TEST(HandleLists, RefuseACountAboveTheirLength) {
  HandleList nodes;
  EXPECT_EQ(read_nodes(nodes, "[driver.CUgraphNode(1)]", true, 2), -1);
  EXPECT_TRUE(raised("ListTooShortError", "got 1 element; accepts a list of at least 2"));
  HandleList none;
  EXPECT_EQ(read_nodes(none, "None", true, 1), -1);
  EXPECT_TRUE(raised("ListTooShortError", "got 0 elements"));
}

TEST(HandleLists, SpillToTheHeapWhereLong) {
  HandleList nodes;
  ASSERT_EQ(read_nodes(nodes, "[driver.CUgraphNode(i) for i in range(1000)]", true, 1000), 0);
  EXPECT_EQ(static_cast<std::uint64_t*>(nodes.data)[999], 999u);
}

TEST(RecordLists, PackCopiesSideBySide) {
  run("first, second = driver.CUmemLocation(), driver.CUmemLocation(); second.id = 7");
  RecordList list;
  const Reference both = eval("[first, second]");
  ASSERT_EQ(list.read(both.get(), RECORD_CUmemLocation, false, true, 2, "cuF", "locations"), 0);
  EXPECT_NE(list.data, record_data(eval("first").get()));
  EXPECT_EQ(std::memcmp(static_cast<char*>(list.data) + 8, record_data(eval("second").get()), 8), 0);
  RecordList one;
  ASSERT_EQ(one.read(eval("[second]").get(), RECORD_CUmemLocation, false, true, 1, "cuF", "locations"), 0);
  EXPECT_EQ(one.data, record_data(eval("second").get()));
}

TEST(RecordLists, CheckEveryElement) {
  RecordList list;
  const Reference wrong = eval("[driver.CUmemLocation(), driver.CUmemAccessDesc()]");
  EXPECT_EQ(list.read(wrong.get(), RECORD_CUmemLocation, false, false, 0, "cuF", "locations"), -1);
  EXPECT_TRUE(raised("TypeError", "parameter 'locations'[1]: got "));
}

TEST(EnumerationLists, TakeAnyIterableOfMembersAndIntegers) {
  EnumerationList list;
  const Reference given = eval("iter([driver.CUjit_option.CU_JIT_FMA, 2])");
  ASSERT_EQ(list.read(given.get(), ENUM_CUjit_option, false, true, 2, "cuF", "options"), 0);
  EXPECT_EQ(list.data[0], 24);
  EXPECT_EQ(list.data[1], 2);
  EnumerationList foreign;
  EXPECT_EQ(foreign.read(eval("[driver.CUresult(0)]").get(), ENUM_CUjit_option, false, false, 0, "cuF", "options"), -1);
  EXPECT_TRUE(raised("TypeError", "parameter 'options'[0]"));
}

TEST(NumberLists, TakeNumbersAndTheirHandles) {
  NumberList list;
  const Reference given = eval("(driver.cuuint64_t(2**40), 5, 6.0)");
  ASSERT_EQ(list.read(given.get(), NUMBER_ULONGLONG, HANDLE_cuuint64_t, true, false, 0, 5, "cuF", "globalDim"), 0);
  EXPECT_EQ(static_cast<std::uint64_t*>(list.data)[0], std::uint64_t{1} << 40);
  EXPECT_EQ(static_cast<std::uint64_t*>(list.data)[2], 6u);
  NumberList slow;
  EXPECT_EQ(slow.read(eval("range(6)").get(), NUMBER_UINT, -1, true, false, 0, 5, "cuF", "boxDim"), -1);
  EXPECT_TRUE(raised("ValueError", "parameter 'boxDim': got 6 elements; accepts at most 5"));
  NumberList negative;
  EXPECT_EQ(negative.read(eval("[1, -1]").get(), NUMBER_SIZE, -1, false, false, 0, 0, "cuF", "sizes"), -1);
  EXPECT_TRUE(raised("OverflowError", "parameter 'sizes'[1]: got int -1"));
  NumberList none;
  EXPECT_EQ(none.read(Py_None, NUMBER_SIZE, -1, false, false, 0, 0, "cuF", "sizes"), -1);
  EXPECT_TRUE(raised("TypeError", "got None; accepts a list or other iterable of numbers"));
  NumberList text;
  EXPECT_EQ(text.read(eval("'12'").get(), NUMBER_SIZE, -1, false, false, 0, 0, "cuF", "sizes"), -1);
  EXPECT_TRUE(raised("TypeError", "got str"));
}

TEST(NumberLists, SurviveAListThatItsElementsChange) {
  run(R"(
changing = []
class Evil:
    def __index__(self):
        changing.clear()
        return 1
changing.extend([Evil() for _ in range(100)])
)");
  NumberList list;
  ASSERT_EQ(list.read(eval("changing").get(), NUMBER_SIZE, -1, false, true, 100, 0, "cuF", "sizes"), 0);
  EXPECT_EQ(static_cast<size_t*>(list.data)[99], 1u);
}

TEST(NumberLists, LetGoOfTheirElements) {
  run("element = object()");
  const Reference element = eval("element");
  const Py_ssize_t before = Py_REFCNT(element.get());
  for (int round = 0; round < 3; ++round) {
    NumberList list;
    EXPECT_EQ(list.read(eval("[1, element]").get(), NUMBER_SIZE, -1, false, false, 0, 0, "cuF", "sizes"), -1);
    PyErr_Clear();
  }
  EXPECT_EQ(Py_REFCNT(element.get()), before);
}

TEST(Colors, AreFourNumbersOrOne) {
  Color four;
  ASSERT_EQ(four.read(eval("(0, 0.25, 0.5, 1)").get(), "cuTexRefSetBorderColor", "pBorderColor"), 0);
  EXPECT_EQ(four.data[2], 0.5f);
  Color one;
  ASSERT_EQ(one.read(eval("0.75").get(), "cuTexRefSetBorderColor", "pBorderColor"), 0);
  EXPECT_EQ(one.data[3], 0.75f);
  Color three;
  EXPECT_EQ(three.read(eval("(0, 1, 2)").get(), "cuTexRefSetBorderColor", "pBorderColor"), -1);
  EXPECT_TRUE(raised("ValueError", "four numbers, or one number for all four"));
}

TEST(OutArrays, AreZeroedAndCheckTheirSize) {
  OutArray small;
  ASSERT_EQ(small.reserve(4, 8), 0);
  EXPECT_EQ(static_cast<std::uint64_t*>(small.data)[3], 0u);
  OutArray none;
  EXPECT_EQ(none.reserve(0, 8), 0);
  EXPECT_EQ(none.data, nullptr);
  OutArray huge;
  volatile size_t count = SIZE_MAX / 2;  // hidden from the compiler, which would warn
  EXPECT_EQ(huge.reserve(count, 8), -1);
  EXPECT_TRUE(raised("MemoryError", ""));
}

}  // namespace cuda_bindings::testing
