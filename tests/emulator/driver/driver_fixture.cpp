// SPDX-License-Identifier: Apache-2.0
// The kernels and steps that the driver's tests share.
#include "driver_fixture.hpp"

namespace driver_test {

const std::string kernels = R"(
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 counter = 5;
.const .align 4 .b8 table[8] = {1, 0, 0, 0, 2, 0, 0, 0};
.extern .shared .align 16 .b8 dynamic[];

.visible .entry add(.param .u64 data, .param .u32 value, .param .u32 n) {
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [value];
  ld.param.u32 %r2, [n];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r6, %r3, %r4, %r5;
  setp.ge.u32 %p1, %r6, %r2;
  @%p1 bra done;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r6, 4;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.u32 %r7, [%rd2];
  add.s32 %r7, %r7, %r1;
  st.global.u32 [%rd2], %r7;
done:
  ret;
}

.visible .entry wait(.param .u64 flag) {
  .reg .pred %p<2>;
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [flag];
again:
  ld.volatile.global.u32 %r1, [%rd1];
  setp.eq.s32 %p1, %r1, 0;
  @%p1 bra again;
  ret;
}

.visible .entry store(.param .u64 address) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [address];
  mov.u32 %r1, 1;
  st.global.u32 [%rd1], %r1;
  ret;
}

.visible .entry stop() {
  trap;
  ret;
}

.visible .entry block(.param .u64 out) .maxntid 256, 1, 1 {
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  st.global.u32 [%rd1], %r2;
  ret;
}

.visible .entry shared(.param .u64 out) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %dynamic_smem_size;
  st.global.u32 [%rd1], %r1;
  ret;
}

.visible .entry mixed(.param .u8 small, .param .f64 real, .param .u16 medium, .param .u64 out) {
  .reg .b16 %h<3>;
  .reg .f64 %d<4>;
  .reg .b64 %rd<2>;
  ld.param.u8 %h1, [small];
  ld.param.f64 %d1, [real];
  ld.param.u16 %h2, [medium];
  ld.param.u64 %rd1, [out];
  cvt.rn.f64.u16 %d2, %h1;
  cvt.rn.f64.u16 %d3, %h2;
  st.global.f64 [%rd1], %d2;
  st.global.f64 [%rd1+8], %d1;
  st.global.f64 [%rd1+16], %d3;
  ret;
}
)";

void WithContext::SetUp() {
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxCreate_v2(&context_, 0, 0), CUDA_SUCCESS);
}

void WithContext::TearDown() { EXPECT_EQ(cuCtxDestroy_v2(context_), CUDA_SUCCESS); }

CUfunction WithContext::kernel(const char* name) {
  if (module_ == nullptr) {
    EXPECT_EQ(cuModuleLoadData(&module_, kernels.c_str()), CUDA_SUCCESS);
  }
  CUfunction function = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&function, module_, name), CUDA_SUCCESS);
  return function;
}

CUdeviceptr WithContext::device_memory(std::size_t bytes) {
  CUdeviceptr data = 0;
  EXPECT_EQ(cuMemAlloc_v2(&data, bytes), CUDA_SUCCESS);
  return data;
}

CUresult WithContext::launch(CUfunction function, unsigned blocks, unsigned threads, std::vector<void*> arguments,
                             CUstream stream, unsigned shared) {
  return cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared, stream, arguments.data(), nullptr);
}

std::vector<std::uint32_t> WithContext::values(CUdeviceptr data, std::size_t count) {
  std::vector<std::uint32_t> found(count);
  EXPECT_EQ(cuMemcpyDtoH_v2(found.data(), data, 4 * count), CUDA_SUCCESS);
  return found;
}

HostFlag::HostFlag() {
  void* memory = nullptr;
  EXPECT_EQ(cuMemHostAlloc(&memory, sizeof *flag_, 0), CUDA_SUCCESS);
  flag_ = static_cast<std::uint32_t*>(memory);
  *flag_ = 0;
}

HostFlag::~HostFlag() {
  raise();
  cuMemFreeHost(flag_);
}

}  // namespace driver_test
