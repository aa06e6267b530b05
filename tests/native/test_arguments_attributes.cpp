// SPDX-License-Identifier: Apache-2.0
// JIT options and attribute values: each enumerator's own type, both ways.
#include "embedded_python.hpp"

namespace cuda_bindings::testing {

namespace {

// Reads an option list and leaves the owner to the test.
class Options {
 public:
  Options(const std::string& keys, const std::string& values, size_t count, int table = ENUM_CUjit_option)
      : keys_(eval(keys)), values_(eval(values)) {
    failed_ =
        options.read(keys_.get(), values_.get(), count, table, "cuModuleLoadDataEx", "options", "optionValues") < 0;
  }
  bool failed() const { return failed_; }
  std::uint64_t slot(size_t index) const { return reinterpret_cast<std::uint64_t>(options.values[index]); }

  JitOptions options;

 private:
  Reference keys_, values_;
  bool failed_ = false;
};

Reference got(int table, int attribute, size_t byte_size, const void* written, size_t size) {
  AttributeValue value;
  if (value.prepare_get(table, attribute, byte_size, "cuF", "attribute") < 0) return Reference();
  std::memcpy(value.data, written, size);
  return Reference(value.result());
}

}  // namespace

class JitOptionLists : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { run("J = driver.CUjit_option"); }
};

TEST_F(JitOptionLists, CarryNumbersInsideTheSlots) {
  const Options options(
      "[J.CU_JIT_MAX_REGISTERS, J.CU_JIT_FMA, J.CU_JIT_TARGET, J.CU_JIT_TARGET_FROM_CUCONTEXT, J.CU_JIT_NEW_SM3X_OPT, "
      "1000]",
      "[32, -1, driver.CUjit_target.CU_TARGET_COMPUTE_90, None, 1, 2**40]", 6);
  ASSERT_FALSE(options.failed()) << taken_exception();
  EXPECT_EQ(static_cast<const int*>(options.options.keys)[1], 24);
  EXPECT_EQ(options.slot(0), 32u);
  EXPECT_EQ(static_cast<int>(options.slot(1)), -1);
  EXPECT_EQ(options.slot(2), number_of("int(driver.CUjit_target.CU_TARGET_COMPUTE_90)"));
  EXPECT_EQ(options.slot(3), 0u);
  EXPECT_EQ(options.slot(4), 1u);
  EXPECT_EQ(options.slot(5), std::uint64_t{1} << 40) << "an option that the table does not know";
}

TEST_F(JitOptionLists, GoInPairsUpToTheCount) {
  const Options none("[J.CU_JIT_FMA] * 5", "[]", 0);
  EXPECT_FALSE(none.failed());
  EXPECT_EQ(none.options.values, nullptr);
  EXPECT_FALSE(Options("None", "None", 0).failed());
  EXPECT_TRUE(Options("[J.CU_JIT_FMA]", "[]", 1).failed());
  EXPECT_TRUE(raised("ListTooShortError", "parameter 'optionValues'"));
  EXPECT_TRUE(Options("None", "None", 1).failed());
  EXPECT_TRUE(raised("ListTooShortError", "parameter 'options'"));
}

TEST_F(JitOptionLists, RefuseForeignKeysAndValues) {
  EXPECT_TRUE(Options("[driver.CUresult(0)]", "[1]", 1).failed());
  EXPECT_TRUE(raised("TypeError", "parameter 'options'[0]"));
  EXPECT_TRUE(Options("[J.CU_JIT_MAX_REGISTERS]", "[-1]", 1).failed());
  EXPECT_TRUE(raised("OverflowError", "parameter 'optionValues'[0]"));
  EXPECT_TRUE(Options("[J.CU_JIT_MAX_REGISTERS]", "['x']", 1).failed());
  EXPECT_TRUE(raised("TypeError", "parameter 'optionValues'[0]"));
}

TEST_F(JitOptionLists, FillTheCallersLogBuffer) {
  run("log = b' ' * 64; before = hash(log)");
  {
    const Options options("[J.CU_JIT_INFO_LOG_BUFFER, J.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES]", "[log, 64]", 2);
    ASSERT_FALSE(options.failed());
    std::memcpy(options.options.values[0], "ptxas info", 11);
  }
  EXPECT_TRUE(holds("log.startswith(b'ptxas info\\0') and hash(log) != before"));
  EXPECT_TRUE(
      Options("[J.CU_JIT_ERROR_LOG_BUFFER, J.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]", "[bytearray(63), 64]", 2).failed());
  EXPECT_TRUE(raised("ValueError", "63 bytes where 64 are written"));
}

TEST_F(JitOptionLists, GiveAnswersBackThroughTheObjectsThatWerePassed) {
  run("size, time, threads, wide = ctypes.c_uint(4096), ctypes.c_float(), ctypes.c_int(128), ctypes.c_double()");
  Options options(
      "[J.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, J.CU_JIT_WALL_TIME, J.CU_JIT_THREADS_PER_BLOCK, J.CU_JIT_WALL_TIME]",
      "[size, time, threads, wide]", 4);
  ASSERT_FALSE(options.failed()) << taken_exception();
  EXPECT_EQ(options.slot(0), 4096u);
  EXPECT_EQ(options.slot(2), 128u);
  const float milliseconds = 1.25f;
  options.options.values[0] = reinterpret_cast<void*>(17);
  std::memcpy(&options.options.values[1], &milliseconds, 4);
  std::memcpy(&options.options.values[3], &milliseconds, 4);
  ASSERT_EQ(options.options.finish(), 0);
  EXPECT_TRUE(holds("size.value == 17 and time.value == 1.25 and threads.value == 128 and wide.value == 1.25"));
}

TEST_F(JitOptionLists, StayWithTheLinkState) {
  run("state = driver.CUlinkState(1); filled = ctypes.c_uint(256); log = bytearray(256)");
  void** values = nullptr;
  {
    Options options("[J.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, J.CU_JIT_INFO_LOG_BUFFER]", "[filled, log]", 2);
    ASSERT_FALSE(options.failed());
    values = options.options.values;
    ASSERT_EQ(options.options.keep_on(eval("state").get()), 0);
  }
  values[0] = reinterpret_cast<void*>(99);  // as cuLinkComplete does
  EXPECT_EQ(jit_refresh(eval("state").get()), 0);
  EXPECT_TRUE(holds("filled.value == 99"));
  run("try:\n log.clear()\n kept = False\nexcept BufferError: kept = True");
  EXPECT_TRUE(holds("kept"));
  run("del state\nlog.clear()");
  EXPECT_EQ(jit_refresh(Py_None), 0);
}

TEST_F(JitOptionLists, TakeListsAsLongAsTheirCount) {
  const Options options(
      "[J.CU_JIT_GLOBAL_SYMBOL_NAMES, J.CU_JIT_GLOBAL_SYMBOL_ADDRESSES, J.CU_JIT_GLOBAL_SYMBOL_COUNT]",
      "[[b'a', b'b'], [4096, 8192], 2]", 3);
  ASSERT_FALSE(options.failed()) << taken_exception();
  EXPECT_STREQ(static_cast<const char**>(options.options.values[0])[1], "b");
  EXPECT_EQ(static_cast<void**>(options.options.values[1])[1], reinterpret_cast<void*>(8192));
  EXPECT_TRUE(Options("[J.CU_JIT_GLOBAL_SYMBOL_NAMES, J.CU_JIT_GLOBAL_SYMBOL_COUNT]", "[[b'a'], 2]", 2).failed());
  EXPECT_TRUE(raised("ListTooShortError", "got 1 element"));
}

TEST_F(JitOptionLists, TakeTheLibrarysTableByItsMemory) {
  run("table = driver.CUlibraryHostUniversalFunctionAndDataTable()");
  const Options options("[driver.CUlibraryOption.CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE]", "[table]", 1,
                        ENUM_CUlibraryOption);
  ASSERT_FALSE(options.failed()) << taken_exception();
  EXPECT_EQ(options.options.values[0], record_data(eval("table").get()));
}

TEST(Attributes, ComeBackInTheirOwnTypes) {
  const std::uint64_t address = 4096;
  const int minus_two = -2;
  const unsigned one = 1;
  EXPECT_TRUE(is(got(ENUM_CUpointer_attribute, 1, 0, &address, 8), "type(it) is driver.CUcontext and int(it) == 4096"));
  EXPECT_TRUE(
      is(got(ENUM_CUpointer_attribute, 3, 0, &address, 8), "type(it) is driver.CUdeviceptr and int(it) == 4096"));
  EXPECT_TRUE(is(got(ENUM_CUpointer_attribute, 4, 0, &address, 8), "it == 4096"));
  EXPECT_TRUE(is(got(ENUM_CUpointer_attribute, 8, 0, &one, 4), "it is True"));
  EXPECT_TRUE(is(got(ENUM_CUpointer_attribute, 9, 0, &minus_two, 4), "it == -2"));
  EXPECT_TRUE(
      is(got(ENUM_CUpointer_attribute, 5, 0, &address, 8), "type(it) is driver.CUDA_POINTER_ATTRIBUTE_P2P_TOKENS"));
  EXPECT_TRUE(
      is(got(ENUM_CUmemPool_attribute, 4, 0, &address, 8), "type(it) is driver.cuuint64_t and int(it) == 4096"));
  EXPECT_TRUE(is(got(ENUM_cudaMemPoolAttr, 4, 0, &address, 8), "type(it) is driver.cuuint64_t"));
  EXPECT_TRUE(is(got(ENUM_CUcoredumpSettings, 5, 0, "/tmp/core", 10), "it == b'/tmp/core'"));
  EXPECT_TRUE(is(got(ENUM_CUcoredumpSettings, 1, 0, "\1", 1), "it is True"));
  const int devices[] = {0, 1, -2};
  EXPECT_TRUE(is(got(ENUM_CUmem_range_attribute, 3, 12, devices, 12), "it == [0, 1, -2]"));
}

TEST(Attributes, LeaveRoomForDriversThatWriteBehindTheEnd) {
  AttributeValue text;
  ASSERT_EQ(text.prepare_get(ENUM_CUcoredumpSettings, 5, 0, "cuCoredumpGetAttribute", "attrib"), 0);
  EXPECT_EQ(text.size, 1024u);
  std::memset(text.data, 'x', 1025);
  EXPECT_TRUE(is(Reference(text.result()), "len(it) == 1024"));
}

TEST(Attributes, AreSetFromTheirOwnTypes) {
  AttributeValue threshold;
  ASSERT_EQ(threshold.prepare_set(eval("driver.cuuint64_t(2**40)").get(), ENUM_CUmemPool_attribute, 4, "cuF", "value"),
            0);
  EXPECT_EQ(*static_cast<std::uint64_t*>(threshold.data), std::uint64_t{1} << 40);
  AttributeValue number;
  ASSERT_EQ(number.prepare_set(eval("5").get(), ENUM_CUmemPool_attribute, 4, "cuF", "value"), 0);
  EXPECT_EQ(*static_cast<std::uint64_t*>(number.data), 5u);
  AttributeValue text;
  ASSERT_EQ(text.prepare_set(eval("b'/tmp/core'").get(), ENUM_CUcoredumpSettings, 5, "cuF", "value"), 0);
  EXPECT_STREQ(static_cast<char*>(text.data), "/tmp/core");
  EXPECT_EQ(text.size, 9u);
  AttributeValue flag;
  ASSERT_EQ(flag.prepare_set(Py_True, ENUM_CUcoredumpSettings, 1, "cuF", "value"), 0);
  EXPECT_EQ(flag.size, 1u);
  AttributeValue wrong;
  EXPECT_EQ(wrong.prepare_set(eval("'x'").get(), ENUM_CUmemPool_attribute, 1, "cuF", "value"), -1);
  EXPECT_TRUE(raised("TypeError", "cuF(): parameter 'value': got str"));
}

TEST(Attributes, OfUnknownTypeAreRefusedBeforeTheCall) {
  AttributeValue value;
  EXPECT_EQ(value.prepare_get(ENUM_CUpointer_attribute, 12345, 0, "cuPointerGetAttribute", "attribute"), -1);
  EXPECT_TRUE(raised("TypeError", "got 12345; accepts an attribute of CUpointer_attribute"));
  EXPECT_EQ(value.prepare_get(ENUM_CUcoredumpSettings, 8, 0, "cuF", "attrib"), -1) << "CU_COREDUMP_MAX";
  PyErr_Clear();
}

TEST(Attributes, ComeInNumbers) {
  AttributeValues values;
  const Reference attributes = eval("[driver.CUmem_range_attribute(1), 3]");
  ASSERT_EQ(values.prepare(attributes.get(), eval("[4, 8]").get(), 2, ENUM_CUmem_range_attribute,
                           "cuMemRangeGetAttributes", "attributes", "dataSizes"),
            0);
  EXPECT_EQ(static_cast<int*>(values.attributes)[1], 3);
  EXPECT_EQ(values.sizes[1], 8u);
  const int pair[] = {0, -2};
  std::memcpy(values.data[1], pair, sizeof pair);
  EXPECT_TRUE(is(Reference(values.result()), "it == [0, [0, -2]]"));
  AttributeValues pointers;
  ASSERT_EQ(pointers.prepare(eval("[1, 9]").get(), Py_None, 2, ENUM_CUpointer_attribute, "cuPointerGetAttributes",
                             "attributes", nullptr),
            0);
  EXPECT_EQ(pointers.sizes, nullptr);
  EXPECT_TRUE(is(Reference(pointers.result()), "it == [driver.CUcontext(0), 0]"));
  AttributeValues short_list;
  EXPECT_EQ(short_list.prepare(eval("[1]").get(), Py_None, 2, ENUM_CUpointer_attribute, "cuPointerGetAttributes",
                               "attributes", nullptr),
            -1);
  EXPECT_TRUE(raised("ListTooShortError", "got 1 element"));
}

}  // namespace cuda_bindings::testing
