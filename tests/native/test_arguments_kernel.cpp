// SPDX-License-Identifier: Apache-2.0
// Kernel arguments: every form of kernelParams, every type, and what is refused rather than cut short.
#include "embedded_python.hpp"

#include "native/arguments_kernel.hpp"

namespace cuda_bindings::testing {

namespace {

// What `kernelParams` passes as its arguments; the types of one call stand beside their values.
class Launch {
 public:
  explicit Launch(const std::string& expression) : object_(eval(expression)) {
    failed_ = parameters_.read(object_.get(), "cuLaunchKernel", "kernelParams") < 0;
  }
  bool failed() const { return failed_; }
  void** data() const { return parameters_.data; }
  template <class T>
  T argument(size_t index) const {
    T value{};
    if (parameters_.data == nullptr) {
      ADD_FAILURE() << taken_exception();
      return value;
    }
    std::memcpy(&value, parameters_.data[index], sizeof value);
    return value;
  }

 private:
  Reference object_;
  KernelParameters parameters_;
  bool failed_ = false;
};

}  // namespace

class KernelArguments : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    run(R"(
class Pair(ctypes.Structure):
    _fields_ = [('a', ctypes.c_int), ('b', ctypes.c_double)]
)");
  }
};

TEST_F(KernelArguments, MayBeNone) {
  for (const char* expression : {"None", "0", "()", "((), ())"}) {
    const Launch launch(expression);
    EXPECT_FALSE(launch.failed());
    EXPECT_EQ(launch.data(), nullptr);
  }
}

TEST_F(KernelArguments, MayBeAReadyArray) {
  run("array = (ctypes.c_void_p * 2)(16, 32)");
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(Launch("array").data()), number_of("ctypes.addressof(array)"));
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(Launch("ctypes.addressof(array)").data()),
            number_of("ctypes.addressof(array)"));
}

TEST_F(KernelArguments, TakeEveryCtype) {
  const Launch launch(R"((
      (True, b'x', 'y', -1, 255, -2, 65535, -3, 2**32 - 1, -4, 2**64 - 1, 1.5, 2.5, 2**48),
      (ctypes.c_bool, ctypes.c_char, ctypes.c_wchar, ctypes.c_byte, ctypes.c_ubyte, ctypes.c_short, ctypes.c_ushort,
       ctypes.c_int, ctypes.c_uint, ctypes.c_longlong, ctypes.c_size_t, ctypes.c_float, ctypes.c_double, ctypes.c_void_p)))");
  EXPECT_EQ(launch.argument<bool>(0), true);
  EXPECT_EQ(launch.argument<char>(1), 'x');
  EXPECT_EQ(launch.argument<wchar_t>(2), L'y');
  EXPECT_EQ(launch.argument<signed char>(3), -1);
  EXPECT_EQ(launch.argument<unsigned char>(4), 255);
  EXPECT_EQ(launch.argument<short>(5), -2);
  EXPECT_EQ(launch.argument<unsigned short>(6), 65535);
  EXPECT_EQ(launch.argument<int>(7), -3);
  EXPECT_EQ(launch.argument<unsigned>(8), UINT_MAX);
  EXPECT_EQ(launch.argument<long long>(9), -4);
  EXPECT_EQ(launch.argument<size_t>(10), SIZE_MAX);
  EXPECT_EQ(launch.argument<float>(11), 1.5f);
  EXPECT_EQ(launch.argument<double>(12), 2.5);
  EXPECT_EQ(launch.argument<std::uint64_t>(13), std::uint64_t{1} << 48);
}

TEST_F(KernelArguments, TakeInstancesOfTheCtype) {
  const Launch launch(
      "((ctypes.c_int(7), ctypes.c_float(0.5), ctypes.c_void_p(64)), "
      "(ctypes.c_int, ctypes.c_double, ctypes.c_void_p))");
  EXPECT_EQ(launch.argument<int>(0), 7);
  EXPECT_EQ(launch.argument<double>(1), 0.5);
  EXPECT_EQ(launch.argument<std::uint64_t>(2), 64u);
}

TEST_F(KernelArguments, RefuseWhatTheTypeCannotHold) {
  const char* pairs[] = {"(2**40,), (ctypes.c_int,)",   "(300,), (ctypes.c_byte,)",
                         "(-1,), (ctypes.c_uint,)",     "(2**64,), (ctypes.c_ulonglong,)",
                         "(1e300,), (ctypes.c_float,)", "(2**64,), (ctypes.c_void_p,)",
                         "(-1,), (ctypes.c_void_p,)"};
  for (const char* pair : pairs) {
    EXPECT_TRUE(Launch("(" + std::string(pair) + ")").failed()) << pair;
    EXPECT_TRUE(raised("OverflowError", "cuLaunchKernel(): parameter 'kernelParams'[0]: got ")) << pair;
  }
}

TEST_F(KernelArguments, GiveTheAddressOfAHandleForVoidPointerAndItsValueForNone) {
  run("pointer = driver.CUdeviceptr(4096)");
  const Launch launch("((pointer, pointer), (ctypes.c_void_p, None))");
  EXPECT_EQ(launch.argument<std::uint64_t>(0), number_of("pointer.getPtr()"));
  EXPECT_EQ(launch.argument<std::uint64_t>(1), 4096u);
}

TEST_F(KernelArguments, TakeTypedValuesForNone) {
  run(R"(
class Foreign:
    def __init__(self): self.memory = ctypes.c_int(77)
    def getPtr(self): return ctypes.addressof(self.memory)
)");
  const Launch launch("((Pair(3, 4.5), Foreign(), driver.CUresult(1), runtime.dim3()), (None, None, None, None))");
  EXPECT_EQ(launch.argument<int>(0), 3);
  EXPECT_EQ(*reinterpret_cast<double*>(static_cast<char*>(launch.data()[0]) + 8), 4.5);
  EXPECT_EQ(launch.argument<int>(1), 77);
  EXPECT_EQ(launch.argument<int>(2), 1);
  EXPECT_EQ(launch.argument<unsigned>(3), 1u);
  for (const char* expression : {"((5,), (None,))", "((0.5,), (None,))", "(('x',), (None,))", "((None,), (None,))"}) {
    EXPECT_TRUE(Launch(expression).failed());
    EXPECT_TRUE(raised("TypeError", "a value that knows its C type"));
  }
}

TEST_F(KernelArguments, MayBeOneTupleOfSelfDescribingValues) {
  run(R"(
class Array:
    __cuda_array_interface__ = {'data': (8192, False), 'shape': (4,), 'typestr': '<f4', 'version': 3}
)");
  const Launch launch(
      "(driver.CUdeviceptr(4096), Array(), ctypes.c_float(0.5), ctypes.c_short(-2), driver.CUdevice(3), "
      "runtime.cudaSurfaceObject_t(9))");
  EXPECT_EQ(launch.argument<std::uint64_t>(0), 4096u);
  EXPECT_EQ(launch.argument<std::uint64_t>(1), 8192u);
  EXPECT_EQ(launch.argument<float>(2), 0.5f);
  EXPECT_EQ(launch.argument<short>(3), -2);
  EXPECT_EQ(launch.argument<int>(4), 3);
  EXPECT_EQ(launch.argument<std::uint64_t>(5), 9u);
}

TEST_F(KernelArguments, TakeNumpyScalarsAndRecordsInAFlatTuple) {
  if (!holds("np is not None")) GTEST_SKIP() << "no NumPy";
  const Launch launch(
      "(np.float32(1.5), np.int64(-7), np.float64(2.5), np.bool_(True), np.float16(1), np.complex128(1 + 2j), "
      "np.zeros(1, dtype=[('a', np.int32), ('b', np.float64)])[0], np.uint64(2**63))");
  EXPECT_EQ(launch.argument<float>(0), 1.5f);
  EXPECT_EQ(launch.argument<long long>(1), -7);
  EXPECT_EQ(launch.argument<double>(2), 2.5);
  EXPECT_EQ(launch.argument<bool>(3), true);
  EXPECT_EQ(launch.argument<unsigned short>(4), 0x3C00);
  EXPECT_EQ(static_cast<double*>(launch.data()[5])[1], 2.0);
  EXPECT_EQ(launch.argument<int>(6), 0);
  EXPECT_EQ(launch.argument<std::uint64_t>(7), std::uint64_t{1} << 63);
  for (const char* expression : {"(np.zeros(3),)", "(np.str_('a'),)", "(np.longdouble(1),)"}) {
    EXPECT_TRUE(Launch(expression).failed()) << expression;
    EXPECT_TRUE(raised("TypeError", "parameter 'kernelParams'[0]")) << expression;
  }
}

TEST_F(KernelArguments, RefuseNumbersWhoseTypeNobodyKnows) {
  for (const char* expression : {"(driver.CUdeviceptr(1), 5)", "(driver.CUdeviceptr(1), 0.5)",
                                 "(driver.CUdeviceptr(1), True)", "(driver.CUdeviceptr(1), None)"}) {
    EXPECT_TRUE(Launch(expression).failed());
    EXPECT_TRUE(raised("TypeError", "give Python numbers as ctypes or NumPy scalars, or as (values, types)"));
  }
}

TEST_F(KernelArguments, RefuseOtherForms) {
  for (const char* expression :
       {"[(), ()]", "True", "1.5", "'text'", "object()", "runtime.dim3()", "driver.CUdeviceptr(8)"}) {
    EXPECT_TRUE(Launch(expression).failed()) << expression;
    EXPECT_TRUE(raised("TypeError", "cuLaunchKernel(): parameter 'kernelParams': got ")) << expression;
  }
  EXPECT_TRUE(Launch("((1, 2), (ctypes.c_int,))").failed());
  EXPECT_TRUE(raised("TypeError", "tuples of different length"));
  for (const char* expression :
       {"((1,), (int,))", "((1,), (5,))", "((1,), (ctypes.Structure,))", "((1,), (ctypes.py_object,))"}) {
    EXPECT_TRUE(Launch(expression).failed());
    EXPECT_TRUE(raised("TypeError", "unsupported type"));
  }
  for (const char* expression :
       {"(('x',), (ctypes.c_int,))", "((True,), (ctypes.c_void_p,))", "((1.0,), (ctypes.c_void_p,))",
        "((ctypes.c_long(1),), (ctypes.c_int,))", "((b'xy',), (ctypes.c_char,))"}) {
    EXPECT_TRUE(Launch(expression).failed()) << expression;
    EXPECT_TRUE(raised("TypeError", "parameter 'kernelParams'[0]")) << expression;
  }
}

TEST_F(KernelArguments, PassOnWhatAnArgumentRaises) {
  run("class Broken:\n def getPtr(self): raise LookupError('gone')");
  EXPECT_TRUE(Launch("((Broken(),), (None,))").failed());
  EXPECT_TRUE(raised("LookupError", "gone"));
}

TEST_F(KernelArguments, GoIntoARecordWithWhatTheyHold) {
  run("structure = Pair(8, 9.5)");
  void** address = nullptr;
  const Reference kept(pack_kernel_parameters(eval("(structure, driver.CUdeviceptr(5))").get(),
                                              "CUDA_KERNEL_NODE_PARAMS", "kernelParams", &address));
  ASSERT_TRUE(static_cast<bool>(kept));
  EXPECT_EQ(*static_cast<int*>(address[0]), 8);
  EXPECT_EQ(*static_cast<std::uint64_t*>(address[1]), 5u);
  const Reference nothing(pack_kernel_parameters(Py_None, "CUDA_KERNEL_NODE_PARAMS", "kernelParams", &address));
  EXPECT_EQ(nothing.get(), Py_None);
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(pack_kernel_parameters(eval("[1]").get(), "CUDA_KERNEL_NODE_PARAMS", "kernelParams", &address), nullptr);
  EXPECT_TRUE(raised("TypeError", "CUDA_KERNEL_NODE_PARAMS.kernelParams: got list"));
}

}  // namespace cuda_bindings::testing
