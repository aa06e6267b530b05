// SPDX-License-Identifier: Apache-2.0
// Addresses, texts and buffers as arguments: what counts as an address, what as memory, and that memory is held and let
// go.
#include "embedded_python.hpp"

namespace cuda_bindings::testing {

namespace {

uintptr_t address_of(const std::string& expression) {
  const Reference object = eval(expression);
  Address address;
  if (address.read(object.get(), ACCESS_READ, SIZE_MAX, "cuF", "p") < 0) return UINTPTR_MAX;
  return reinterpret_cast<uintptr_t>(address.data);
}

int read_known(const std::string& expression, int access, size_t bytes) {
  const Reference object = eval(expression);
  Address address;
  return address.read(object.get(), access, bytes, "cuMemcpyDtoH", "dstHost");
}

}  // namespace

TEST(Addresses, AreNumbersAndHandles) {
  EXPECT_EQ(address_of("None"), 0u);
  EXPECT_EQ(address_of("4096"), 4096u);
  EXPECT_EQ(address_of("2**64 - 16"), UINTPTR_MAX - 15);
  EXPECT_EQ(address_of("driver.CUdeviceptr(64)"), 64u);
  EXPECT_EQ(address_of("driver.CUstream(80)"), 80u);
  run("class Foreign:\n def __int__(self): return 96");
  EXPECT_EQ(address_of("Foreign()"), 96u);
}

TEST(Addresses, AreTheMemoryOfBuffers) {
  run("memory = bytearray(b'abcd')");
  EXPECT_EQ(address_of("memory"),
            PyLong_AsUnsignedLongLong(eval("ctypes.addressof(ctypes.c_char.from_buffer(memory))").get()));
  run("number = ctypes.c_int(5)");
  EXPECT_EQ(address_of("number"), PyLong_AsUnsignedLongLong(eval("ctypes.addressof(number)").get()));
  EXPECT_NE(address_of("b''"), UINTPTR_MAX);
}

TEST(Addresses, AreNeverBoolsFloatsOrNegative) {
  for (const char* expression : {"True", "1.0", "-1", "2**64", "'text'", "object()", "[1]"}) {
    EXPECT_EQ(address_of(expression), UINTPTR_MAX);
    EXPECT_TRUE(raised("TypeError", "cuF(): parameter 'p': got "));
  }
}

TEST(Addresses, FallBackToTheBufferWhateverIntRaises) {
  run("class Loud(bytearray):\n def __int__(self): raise ZeroDivisionError");
  EXPECT_NE(address_of("Loud(b'abc')"), UINTPTR_MAX);
  EXPECT_EQ(PyErr_Occurred(), nullptr);
}

TEST(Addresses, DoNotSwallowAnInterrupt) {
  run("class Stopping:\n def __index__(self): raise KeyboardInterrupt('stop')");
  EXPECT_EQ(address_of("Stopping()"), UINTPTR_MAX);
  EXPECT_TRUE(raised("KeyboardInterrupt", "stop"));
}

TEST(Addresses, OfNumpyArraysAreTheirMemoryButForOneUnsignedNumber) {
  if (!holds("np is not None")) GTEST_SKIP() << "no NumPy";
  EXPECT_EQ(address_of("np.array(4096, dtype=np.uint64)"), 4096u);
  run("five = np.array(5); one = np.array([5], dtype=np.uint64); image = np.char.array(b'ptx')");
  EXPECT_EQ(address_of("five"), PyLong_AsUnsignedLongLong(eval("five.ctypes.data").get()));
  EXPECT_EQ(address_of("one"), PyLong_AsUnsignedLongLong(eval("one.ctypes.data").get()));
  EXPECT_EQ(address_of("image"), PyLong_AsUnsignedLongLong(eval("image.ctypes.data").get()));
  EXPECT_EQ(address_of("np.uint64(64)"), 64u);
  EXPECT_EQ(address_of("np.float32(64)"), UINTPTR_MAX);
  EXPECT_TRUE(raised("TypeError", "numpy.float32"));
  EXPECT_EQ(address_of("np.arange(10)[::2]"), UINTPTR_MAX);
  EXPECT_TRUE(raised("ValueError", "no contiguous buffer"));
}

TEST(Addresses, RefuseReadOnlyAndShortMemoryWhereTheLengthIsKnown) {
  EXPECT_EQ(read_known("bytearray(8)", ACCESS_WRITE, 8), 0);
  EXPECT_EQ(read_known("bytes(8)", ACCESS_READ, 8), 0);
  EXPECT_EQ(read_known("4096", ACCESS_WRITE, 8), 0);
  EXPECT_EQ(read_known("bytes(8)", ACCESS_WRITE, 8), -1);
  EXPECT_TRUE(
      raised("TypeError", "parameter 'dstHost': read-only but written to: got bytes; accepts a writable buffer"));
  EXPECT_EQ(read_known("bytearray(7)", ACCESS_WRITE, 8), -1);
  EXPECT_TRUE(raised("ValueError", "7 bytes where 8 are written"));
  EXPECT_EQ(read_known("bytes(7)", ACCESS_READ, 8), -1);
  EXPECT_TRUE(raised("ValueError", "7 bytes where 8 are read"));
  EXPECT_EQ(read_known("bytes(8)", ACCESS_WRITE, SIZE_MAX), 0);
}

TEST(Addresses, HoldTheBufferUntilTheCallIsOver) {
  run("held = bytearray(16)");
  const Reference object = eval("held");
  {
    Address address;
    ASSERT_EQ(address.read(object.get(), ACCESS_WRITE, 16, "cuF", "p"), 0);
    EXPECT_NE(PyByteArray_Resize(object.get(), 0), 0);
    EXPECT_TRUE(raised("BufferError", ""));
  }
  EXPECT_EQ(PyByteArray_Resize(object.get(), 0), 0);
  EXPECT_EQ(read_known("held", ACCESS_WRITE, 16), -1);
  EXPECT_TRUE(raised("ValueError", "0 bytes"));
  EXPECT_EQ(PyByteArray_Resize(object.get(), 4), 0) << "let go on the error path too";
}

TEST(AddressLists, MixNumbersAndBuffers) {
  run("parts = [4096, b'abc', None, driver.CUdeviceptr(8)]");
  const Reference object = eval("parts");
  AddressList list;
  ASSERT_EQ(list.read(object.get(), false, true, 4, "cuF", "list"), 0);
  EXPECT_EQ(list.data[0], reinterpret_cast<void*>(4096));
  EXPECT_STREQ(static_cast<char*>(list.data[1]), "abc");
  EXPECT_EQ(list.data[2], nullptr);
  EXPECT_EQ(list.data[3], reinterpret_cast<void*>(8));
  AddressList refused;
  EXPECT_EQ(refused.read(eval("[b'abc', 'no']").get(), false, false, 0, "cuF", "list"), -1);
  EXPECT_TRUE(raised("TypeError", "parameter 'list'[1]: got str"));
}

TEST(Texts, AreBytesOrBytearray) {
  Text text;
  ASSERT_EQ(text.read(eval("b'saxpy.cu'").get(), false, "cuF", "name"), 0);
  EXPECT_STREQ(text.data, "saxpy.cu");
  Text array;
  ASSERT_EQ(array.read(eval("bytearray(b'x')").get(), false, "cuF", "name"), 0);
  EXPECT_STREQ(array.data, "x");
  Text none;
  EXPECT_EQ(none.read(Py_None, true, "cuF", "name"), 0);
  EXPECT_EQ(none.data, nullptr);
}

TEST(Texts, RefuseStrAndNone) {
  for (const char* expression : {"'saxpy.cu'", "None", "memoryview(b'x')", "5"}) {
    Text text;
    EXPECT_EQ(text.read(eval(expression).get(), false, "cuF", "name"), -1);
    EXPECT_TRUE(raised("TypeError", "accepts bytes or bytearray"));
  }
}

TEST(Texts, RefuseANulWithTextBehindIt) {
  Text text;
  EXPECT_EQ(text.read(eval("b'a\\0b'").get(), false, "cuF", "name"), -1);
  EXPECT_TRUE(raised("ValueError", "a NUL with text behind it"));
  Text closed;
  EXPECT_EQ(closed.read(eval("b'ab\\0\\0'").get(), false, "cuF", "name"), 0);
}

TEST(TextLists, HoldTheirElements) {
  TextList list;
  ASSERT_EQ(list.read(eval("[b'-G', b'--std=c++17']").get(), true, true, 2, "nvrtcCompileProgram", "options"), 0);
  EXPECT_STREQ(list.data[1], "--std=c++17");
  TextList refused;
  EXPECT_EQ(refused.read(eval("[b'-G', '-G']").get(), true, true, 2, "nvrtcCompileProgram", "options"), -1);
  EXPECT_TRUE(raised("TypeError", "parameter 'options'[1]: got str; accepts bytes"));
  TextList bytes;
  EXPECT_EQ(bytes.read(eval("b'-G'").get(), true, true, 1, "nvrtcCompileProgram", "options"), -1);
  EXPECT_TRUE(raised("TypeError", "got bytes; accepts a list or tuple of bytes"));
}

TEST(OutBuffers, AreWrittenInPlaceAndForgetTheirHash) {
  run("ptx = b' ' * 300; before = hash(ptx)");
  const Reference object = eval("ptx");
  {
    OutBuffer buffer;
    ASSERT_EQ(buffer.read(object.get(), 300, "nvrtcGetPTX", "ptx"), 0);
    std::memset(buffer.data, 'x', 300);
    PyObject_Hash(object.get());  // another thread may ask meanwhile
    std::memset(buffer.data, 'y', 300);
  }
  EXPECT_TRUE(holds("ptx == b'y' * 300 and hash(ptx) == hash(b'y' * 300)"));
}

TEST(OutBuffers, RefuseSharedAndShortBytes) {
  OutBuffer buffer;
  EXPECT_EQ(buffer.read(eval("b' '").get(), 1, "nvrtcGetProgramLog", "log"), -1);
  EXPECT_TRUE(raised("ValueError", "shared by the whole program"));
  EXPECT_EQ(buffer.read(eval("b''").get(), 0, "nvrtcGetProgramLog", "log"), -1);
  EXPECT_TRUE(raised("ValueError", "shared by the whole program"));
  EXPECT_EQ(buffer.read(eval("b'abc'").get(), 4, "nvrtcGetProgramLog", "log"), -1);
  EXPECT_TRUE(raised("ValueError", "3 bytes where 4 are written"));
  EXPECT_EQ(buffer.read(eval("bytearray(3)").get(), 4, "nvrtcGetProgramLog", "log"), -1);
  EXPECT_TRUE(raised("ValueError", "3 bytes where 4 are written"));
  EXPECT_EQ(buffer.read(eval("memoryview(b'abcd')").get(), 4, "nvrtcGetProgramLog", "log"), -1);
  EXPECT_TRUE(raised("TypeError", "writable"));
  EXPECT_EQ(buffer.read(eval("'text'").get(), 4, "nvrtcGetProgramLog", "log"), -1);
  EXPECT_TRUE(raised("TypeError", "got str"));
  EXPECT_EQ(buffer.read(eval("bytearray(1)").get(), 1, "nvrtcGetProgramLog", "log"), 0);
}

}  // namespace cuda_bindings::testing
