// SPDX-License-Identifier: Apache-2.0
// SAXPY with the plain C API: the same steps as ../saxpy.py, and the same measurements.
// Build: g++ -std=c++20 -O2 -I CUDA/include saxpy.cpp -lcuda -lnvrtc -o saxpy
#include <cuda.h>
#include <nvrtc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

constexpr unsigned threads = 512, blocks = 32768;
constexpr int launches = 20;
constexpr const char* source = R"(
extern "C" __global__ void saxpy(float a, const float *x, const float *y, float *out, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}
)";

static void check(CUresult status) {
  if (status == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(status, &name);
  std::fprintf(stderr, "%s\n", name ? name : "unknown CUresult");
  std::exit(1);
}

static void check(nvrtcResult status) {
  if (status == NVRTC_SUCCESS) return;
  std::fprintf(stderr, "%s\n", nvrtcGetErrorString(status));
  std::exit(1);
}

static std::vector<char> compile_ptx(const char* text, const std::string& architecture) {
  nvrtcProgram program;
  check(nvrtcCreateProgram(&program, text, "saxpy.cu", 0, nullptr, nullptr));
  const std::string option = "--gpu-architecture=" + architecture;
  const char* options[] = {option.c_str()};
  if (nvrtcCompileProgram(program, 1, options) != NVRTC_SUCCESS) {
    size_t size = 0;
    check(nvrtcGetProgramLogSize(program, &size));
    std::string log(size, '\0');
    check(nvrtcGetProgramLog(program, log.data()));
    std::fprintf(stderr, "%s\n", log.c_str());
    std::exit(1);
  }
  size_t size = 0;
  check(nvrtcGetPTXSize(program, &size));
  std::vector<char> ptx(size);
  check(nvrtcGetPTX(program, ptx.data()));
  check(nvrtcDestroyProgram(&program));
  return ptx;
}

static std::vector<float> random_floats(size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
  std::vector<float> values(n);
  for (float& value : values) value = uniform(generator);
  return values;
}

int main() {
  size_t n = size_t{threads} * blocks, bytes = n * sizeof(float);
  float a = 2.0f;
  std::vector<float> x = random_floats(n, 1), y = random_floats(n, 2), out(n, -1.0f);
  int version = 0, nvrtc_major = 0, nvrtc_minor = 0;
  check(cuDriverGetVersion(&version));
  check(nvrtcVersion(&nvrtc_major, &nvrtc_minor));

  const auto begin = std::chrono::steady_clock::now();
  check(cuInit(0));
  CUdevice device;
  check(cuDeviceGet(&device, 0));
  int major = 0, minor = 0;
  check(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  check(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  CUcontext context;
  check(cuDevicePrimaryCtxRetain(&context, device));
  check(cuCtxSetCurrent(context));
  const std::vector<char> ptx = compile_ptx(source, "compute_" + std::to_string(major) + std::to_string(minor));
  CUmodule module;
  check(cuModuleLoadData(&module, ptx.data()));
  CUfunction kernel;
  check(cuModuleGetFunction(&kernel, module, "saxpy"));
  CUstream stream;
  check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUevent started, stopped;
  check(cuEventCreate(&started, 0));
  check(cuEventCreate(&stopped, 0));
  CUdeviceptr d_x, d_y, d_out;
  for (CUdeviceptr* memory : {&d_x, &d_y, &d_out}) check(cuMemAlloc(memory, bytes));
  check(cuMemcpyHtoDAsync(d_x, x.data(), bytes, stream));
  check(cuMemcpyHtoDAsync(d_y, y.data(), bytes, stream));
  void* arguments[] = {&a, &d_x, &d_y, &d_out, &n};
  std::vector<float> times(launches);
  for (float& time : times) {
    check(cuEventRecord(started, stream));
    check(cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, nullptr));
    check(cuEventRecord(stopped, stream));
    check(cuEventSynchronize(stopped));
    check(cuEventElapsedTime(&time, started, stopped));
  }
  check(cuMemcpyDtoHAsync(out.data(), d_out, bytes, stream));
  check(cuStreamSynchronize(stream));
  for (CUdeviceptr memory : {d_x, d_y, d_out}) check(cuMemFree(memory));
  check(cuEventDestroy(started));
  check(cuEventDestroy(stopped));
  check(cuStreamDestroy(stream));
  check(cuModuleUnload(module));
  char name[256];
  check(cuDeviceGetName(name, sizeof name, device));
  check(cuDevicePrimaryCtxRelease(device));
  const double application =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();

  std::sort(times.begin(), times.end());
  const double kernel_time = (times[launches / 2 - 1] + times[launches / 2]) / 2.0;
  for (size_t i = 0; i < n; ++i) {
    if (std::abs(out[i] - (a * x[i] + y[i])) <= 1e-5f) continue;
    std::fprintf(stderr, "the result is wrong\n");
    return 1;
  }
  std::printf("device       %s, compute capability %d.%d\n", name, major, minor);
  std::printf("libraries    driver %d.%d, NVRTC %d.%d\n", version / 1000, version % 1000 / 10, nvrtc_major,
              nvrtc_minor);
  std::printf("saxpy kernel_ms=%.5f application_ms=%.3f\n", kernel_time, application);
}
