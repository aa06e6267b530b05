// SPDX-License-Identifier: Apache-2.0
// Numbers as arguments: what is taken, what is refused, and that nothing is lost on the way.
#include "embedded_python.hpp"

namespace cuda_bindings::testing {

class Numbers : public ::testing::Test {
 protected:
  static int integer(const std::string& expression) { return as_int(eval(expression).get(), "cuF", "n"); }
  static size_t size(const std::string& expression) { return as_size(eval(expression).get(), "cuF", "n"); }
};

TEST_F(Numbers, TakesIntegersOfEveryKind) {
  EXPECT_EQ(integer("42"), 42);
  EXPECT_EQ(integer("-2147483648"), INT_MIN);
  EXPECT_EQ(integer("True"), 1);
  EXPECT_EQ(integer("driver.CUresult.CUDA_ERROR_INVALID_VALUE"), 1);
  EXPECT_EQ(size("2**64 - 1"), SIZE_MAX);
  EXPECT_EQ(size("driver.CUdeviceptr(7)"), 7u);
  EXPECT_EQ(PyErr_Occurred(), nullptr);
}

TEST_F(Numbers, TakesIndexAndIntMethods) {
  run("class Index:\n def __index__(self): return 5\nclass Int:\n def __int__(self): return 6");
  EXPECT_EQ(integer("Index()"), 5);
  EXPECT_EQ(integer("Int()"), 6);
}

TEST_F(Numbers, TakesAFloatThatIsWhole) {
  EXPECT_EQ(size("(16 * 80) / 8"), 160u);
  EXPECT_EQ(size("2.0 ** 63"), size_t{1} << 63);
}

TEST_F(Numbers, RefusesAFraction) {
  EXPECT_EQ(integer("1.5"), -1);
  EXPECT_TRUE(raised("ValueError", "cuF(): parameter 'n': got float 1.5; accepts an integer"));
  EXPECT_EQ(integer("float('inf')"), -1);
  EXPECT_TRUE(raised("ValueError", "inf"));
}

TEST_F(Numbers, RefusesWhatDoesNotFit) {
  EXPECT_EQ(integer("2**31"), -1);
  EXPECT_TRUE(raised("OverflowError", "got int 2147483648; accepts an integer in -2147483648..2147483647"));
  EXPECT_EQ(size("-1"), SIZE_MAX);
  EXPECT_TRUE(raised("OverflowError", "got int -1; accepts an integer in 0..18446744073709551615"));
  EXPECT_EQ(size("10 ** 5000"), SIZE_MAX);
  EXPECT_TRUE(raised("OverflowError", ""));
  EXPECT_EQ(as_uchar(eval("256").get(), "cuF", "n"), 255);
  EXPECT_TRUE(raised("OverflowError", "0..255"));
}

TEST_F(Numbers, RefusesOtherTypes) {
  for (const char* expression : {"None", "'5'", "b'5'", "[5]", "object()", "1j"}) {
    EXPECT_EQ(integer(expression), -1);
    EXPECT_TRUE(raised("TypeError", "cuF(): parameter 'n': got "));
  }
}

TEST_F(Numbers, KeepsTheObjectsOwnException) {
  run("class Angry:\n def __index__(self): raise KeyError('mine')");
  EXPECT_EQ(integer("Angry()"), -1);
  EXPECT_TRUE(raised("KeyError", "mine"));
}

TEST_F(Numbers, ReadsFloats) {
  EXPECT_EQ(as_double(eval("0.25").get(), "cuF", "x"), 0.25);
  EXPECT_EQ(as_float(eval("3").get(), "cuF", "x"), 3.0f);
  EXPECT_EQ(as_float(eval("float('inf')").get(), "cuF", "x"), std::numeric_limits<float>::infinity());
  as_float(eval("1e39").get(), "cuF", "x");
  EXPECT_TRUE(raised("OverflowError", "1e+39"));
  as_double(eval("'1'").get(), "cuF", "x");
  EXPECT_TRUE(raised("TypeError", "got str; accepts a number"));
}

TEST_F(Numbers, ReadsNumpy) {
  if (!holds("np is not None")) GTEST_SKIP() << "no NumPy";
  EXPECT_EQ(integer("np.int8(-3)"), -3);
  EXPECT_EQ(integer("np.float32(4)"), 4);
  EXPECT_EQ(size("np.uint64(2**64 - 1)"), SIZE_MAX);
  EXPECT_EQ(integer("np.array(9)"), 9);
  EXPECT_EQ(integer("np.array([1, 2])"), -1);
  EXPECT_TRUE(raised("TypeError", "numpy.ndarray"));
}

TEST_F(Numbers, TakesExtraAsAnAddressOnly) {
  EXPECT_EQ(as_extra(eval("0").get(), "cuLaunchKernel", "extra"), nullptr);
  EXPECT_EQ(as_extra(eval("4096").get(), "cuLaunchKernel", "extra"), reinterpret_cast<void**>(4096));
  for (const char* expression : {"None", "True", "0.0", "()"}) {
    EXPECT_EQ(as_extra(eval(expression).get(), "cuLaunchKernel", "extra"), reinterpret_cast<void**>(1));
    EXPECT_TRUE(raised("TypeError", "parameter 'extra'"));
  }
}

TEST(NumberResults, GiveAListOfEveryWidth) {
  const unsigned short shorts[] = {1, 65535};
  const Reference list(number_list_new(NUMBER_USHORT, shorts, 2));
  EXPECT_EQ(PyLong_AsLong(PyList_GetItem(list.get(), 1)), 65535);
  const float floats[] = {0.5f};
  const Reference reals(number_list_new(NUMBER_FLOAT, floats, 1));
  EXPECT_EQ(PyFloat_AsDouble(PyList_GetItem(reals.get(), 0)), 0.5);
}

}  // namespace cuda_bindings::testing
