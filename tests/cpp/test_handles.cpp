// SPDX-License-Identifier: Apache-2.0
// Typed handles: what converts and what does not, comparison, hashing, device addresses, constants.
#include <gtest/gtest.h>

#include <set>
#include <type_traits>
#include <unordered_set>

#include "cuda_bindings/cuda_bindings.hpp"
#include "fake_libraries.hpp"

namespace cu = cuda_bindings;
using tests::handle;

// No handle becomes another one, a number or a pointer unless asked to.
static_assert(!std::is_convertible_v<cu::CUstream, cu::CUevent>);
static_assert(!std::is_constructible_v<cu::CUevent, cu::CUstream>);
static_assert(!std::is_convertible_v<cu::CUstream, cu::cudaStream_t>);
static_assert(!std::is_convertible_v<cu::cudaStream_t, cu::CUstream>);
static_assert(!std::is_convertible_v<cu::CUkernel, cu::CUfunction>);
static_assert(!std::is_convertible_v<cu::CUdeviceptr, cu::CUtexObject>);
static_assert(!std::is_constructible_v<cu::CUtexObject, cu::CUdeviceptr>);
static_assert(!std::is_convertible_v<cu::CUdeviceptr, unsigned long long>);
static_assert(!std::is_convertible_v<unsigned long long, cu::CUdeviceptr>);
static_assert(!std::is_convertible_v<int, cu::CUdevice>);
static_assert(!std::is_convertible_v<cu::CUstream, void*>);
static_assert(!std::is_convertible_v<void*, cu::CUstream>);
static_assert(!std::is_convertible_v<cu::CUstream, bool>);
static_assert(!std::is_constructible_v<cu::CUdeviceptr, bool>);
// Asked to, it is what the headers allow, in that direction alone.
static_assert(std::is_constructible_v<cu::cudaStream_t, cu::CUstream>);
static_assert(std::is_constructible_v<cu::CUstream, cu::cudaStream_t>);
static_assert(std::is_constructible_v<cu::CUfunction, cu::CUkernel>);
static_assert(!std::is_constructible_v<cu::CUkernel, cu::CUfunction>);
static_assert(std::is_constructible_v<cu::cudaArray_t, cu::CUarray>);
static_assert(!std::is_constructible_v<cu::cudaArray_t, cu::cudaArray_const_t>);
static_assert(std::is_constructible_v<cu::cudaTextureObject_t, cu::CUtexObject>);
static_assert(!std::is_constructible_v<cu::cudaTextureObject_t, cu::CUsurfObject>);
// To and from C: explicit. nullptr: every pointer handle, no number.
static_assert(std::is_constructible_v<cu::CUstream, ::CUstream_st*>);
static_assert(!std::is_convertible_v<::CUstream_st*, cu::CUstream>);
static_assert(std::is_convertible_v<std::nullptr_t, cu::CUstream>);
static_assert(!std::is_constructible_v<cu::CUdevice, std::nullptr_t>);
// They cost what C handles cost.
static_assert(sizeof(cu::CUstream) == sizeof(void*) && std::is_trivially_copyable_v<cu::CUstream>);
static_assert(sizeof(cu::CUdevice) == sizeof(int) && std::is_trivially_copyable_v<cu::CUdevice>);
// A function takes its own handles only.
static_assert(std::is_invocable_v<decltype(cu::cuStreamDestroy), cu::CUstream>);
static_assert(!std::is_invocable_v<decltype(cu::cuStreamDestroy), cu::CUevent>);
static_assert(!std::is_invocable_v<decltype(cu::cuStreamDestroy), cu::cudaStream_t>);
static_assert(!std::is_invocable_v<decltype(cu::cuMemFree), unsigned long long>);
static_assert(!std::is_invocable_v<decltype(cu::cudaStreamDestroy), cu::CUstream>);
static_assert(std::is_invocable_v<decltype(cu::cuStreamSynchronize), std::nullptr_t>);
// Enumerations do not stand for one another either.
static_assert(!std::is_invocable_v<decltype(cu::cuCtxGetLimit), cu::CUfunc_cache>);
static_assert(std::is_invocable_v<decltype(cu::cuCtxGetLimit), cu::CUlimit>);

namespace {

TEST(Handle, IsNullByDefault) {
  EXPECT_FALSE(cu::CUstream{});
  EXPECT_EQ(cu::CUstream{}, nullptr);
  EXPECT_EQ(cu::CUdeviceptr{}.raw(), 0ULL);
}

TEST(Handle, ComparesByValue) {
  EXPECT_EQ(handle<cu::CUevent>(0x10), handle<cu::CUevent>(0x10));
  EXPECT_NE(handle<cu::CUevent>(0x10), handle<cu::CUevent>(0x20));
  EXPECT_LT(handle<cu::CUevent>(0x10), handle<cu::CUevent>(0x20));
  EXPECT_GT(cu::CUdevice(1), cu::CUdevice(-1));
}

TEST(Handle, IsAKeyOfMapsAndSets) {
  const std::unordered_set<cu::CUcontext> hashed{handle<cu::CUcontext>(8), handle<cu::CUcontext>(8), nullptr};
  EXPECT_EQ(hashed.size(), 2U);
  const std::set<cu::CUdeviceptr> ordered{cu::CUdeviceptr(7), cu::CUdeviceptr(5)};
  EXPECT_EQ(*ordered.begin(), cu::CUdeviceptr(5));
}

TEST(Handle, KeepsItsValueThroughCasts) {
  const cu::CUstream stream = handle<cu::CUstream>(0xabc0);
  EXPECT_EQ(cu::cudaStream_t(stream).raw(), stream.raw());
  EXPECT_EQ(cu::CUstream(cu::cudaStream_t(stream)), stream);
  EXPECT_EQ(tests::word(cu::CUfunction(handle<cu::CUkernel>(0x40)).raw()), 0x40U);
  EXPECT_EQ(tests::word(cu::cudaArray_t(handle<cu::CUarray>(0x50)).raw()), 0x50U);
  EXPECT_EQ(static_cast<::CUstream_st*>(stream), stream.raw());
}

TEST(Address, MovesByBytesAndDiffersInBytes) {
  cu::CUdeviceptr address(0x7f0000001000);
  EXPECT_EQ((address + 16).raw(), 0x7f0000001010U);
  EXPECT_EQ((16 + address).raw(), 0x7f0000001010U);
  EXPECT_EQ((address - 16).raw(), 0x7f0000000ff0U);
  EXPECT_EQ(address - (address + 256), -256);
  address += 8;
  address -= 2;
  EXPECT_EQ(address.raw(), 0x7f0000001006U);
}

TEST(Constants, AreOfTheTypeThatTheyStandFor) {
  EXPECT_EQ(tests::word(cu::k_CU_STREAM_PER_THREAD.raw()), 2U);
  EXPECT_EQ(tests::word(cu::k_cudaStreamLegacy.raw()), 1U);
  static_assert(std::is_same_v<decltype(cu::k_CU_STREAM_LEGACY), const cu::CUstream>);
  static_assert(std::is_same_v<decltype(cu::k_cudaStreamPerThread), const cu::cudaStream_t>);
  static_assert(cu::k_CU_DEVICE_CPU == cu::CUdevice(-1));
  static_assert(cu::k_CUDA_VERSION == 13000);
  static_assert(cu::k_CUDA_EGL_INFINITE_TIMEOUT == 4294967295U);
  EXPECT_EQ(cu::k_CU_LAUNCH_PARAM_BUFFER_SIZE, reinterpret_cast<void*>(2));
}

}  // namespace
