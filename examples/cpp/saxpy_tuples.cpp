// SPDX-License-Identifier: Apache-2.0
// SAXPY with cuda_bindings.hpp: structured bindings, typed handles, no CUDA headers and no CUDA library to link.
#include <cuda_bindings/cuda_bindings.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace cu = cuda_bindings;

constexpr const char* source = R"(
extern "C" __global__ void saxpy(float a, const float *x, const float *y, float *out, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}
)";

// The example's way with errors: a message and the end. cu::check() throws instead.
template <class Status>
void demand(Status status, const char* function) {
  if (status == Status{}) return;
  const char* const name = cu::status_name(status);
  std::fprintf(stderr, "%s: %s (%d)\n%s\n", function, name == nullptr ? "status" : name, static_cast<int>(status),
               cu::why_missing(function).c_str());
  std::exit(1);
}

static std::vector<char> compile_ptx(const std::string& architecture) {
  const auto [created, made] = cu::nvrtcCreateProgram(source, "saxpy.cu", {}, {});
  demand(created, "nvrtcCreateProgram");
  const std::string option = "--gpu-architecture=" + architecture;
  const char* const options[] = {option.c_str()};
  const auto [compiled] = cu::nvrtcCompileProgram(made, options);
  if (compiled != cu::NVRTC_SUCCESS) {
    const auto [logged, log] = cu::nvrtcGetProgramLog(made);
    if (logged == cu::NVRTC_SUCCESS) std::fprintf(stderr, "%s\n", log.data());
    demand(compiled, "nvrtcCompileProgram");
  }
  auto [got, ptx] = cu::nvrtcGetPTX(made);
  demand(got, "nvrtcGetPTX");
  cu::nvrtcProgram program = made;
  const auto [destroyed] = cu::nvrtcDestroyProgram(&program);
  demand(destroyed, "nvrtcDestroyProgram");
  return ptx;
}

static std::vector<float> random_floats(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
  std::vector<float> values(n);
  for (float& value : values) value = uniform(generator);
  return values;
}

static cu::CUdeviceptr allocate(std::size_t bytes) {
  const auto [status, memory] = cu::cuMemAlloc(bytes);
  demand(status, "cuMemAlloc");
  return memory;
}

int main(int argc, char** argv) {
  // A smaller problem on request: the emulated device is a CPU.
  const unsigned threads = 512, blocks = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 32768;
  constexpr std::size_t launches = 20;
  std::size_t n = std::size_t{threads} * blocks;
  const std::size_t bytes = n * sizeof(float);
  float a = 2.0f;
  const std::vector<float> x = random_floats(n, 1), y = random_floats(n, 2);
  std::vector<float> out(n, -1.0f);

  const auto begin = std::chrono::steady_clock::now();
  const auto [initialised] = cu::cuInit(0);
  demand(initialised, "cuInit");
  const auto [found, device] = cu::cuDeviceGet(0);
  demand(found, "cuDeviceGet");
  const auto [s1, major] = cu::cuDeviceGetAttribute(cu::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  demand(s1, "cuDeviceGetAttribute");
  const auto [s2, minor] = cu::cuDeviceGetAttribute(cu::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  demand(s2, "cuDeviceGetAttribute");
  const auto [retained, context] = cu::cuDevicePrimaryCtxRetain(device);
  demand(retained, "cuDevicePrimaryCtxRetain");
  const auto [current] = cu::cuCtxSetCurrent(context);
  demand(current, "cuCtxSetCurrent");

  const std::vector<char> ptx = compile_ptx("compute_" + std::to_string(major) + std::to_string(minor));
  const auto [loaded, module] = cu::cuModuleLoadData(ptx.data());
  demand(loaded, "cuModuleLoadData");
  const auto [named, kernel] = cu::cuModuleGetFunction(module, "saxpy");
  demand(named, "cuModuleGetFunction");
  const auto [streamed, stream] = cu::cuStreamCreate(cu::CU_STREAM_NON_BLOCKING);
  demand(streamed, "cuStreamCreate");
  const auto [s3, started] = cu::cuEventCreate(0);
  demand(s3, "cuEventCreate");
  const auto [s4, stopped] = cu::cuEventCreate(0);
  demand(s4, "cuEventCreate");

  cu::CUdeviceptr d_x = allocate(bytes), d_y = allocate(bytes), d_out = allocate(bytes);
  demand(std::get<0>(cu::cuMemcpyHtoDAsync(d_x, x, stream)), "cuMemcpyHtoDAsync");
  demand(std::get<0>(cu::cuMemcpyHtoDAsync(d_y, y, stream)), "cuMemcpyHtoDAsync");
  auto arguments = cu::kernel_arguments(a, d_x, d_y, d_out, n);
  std::vector<float> times;
  for (std::size_t launch = 0; launch < launches; ++launch) {
    demand(std::get<0>(cu::cuEventRecord(started, stream)), "cuEventRecord");
    const auto [launched] =
        cu::cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, stream, arguments.data(), nullptr);
    demand(launched, "cuLaunchKernel");
    demand(std::get<0>(cu::cuEventRecord(stopped, stream)), "cuEventRecord");
    demand(std::get<0>(cu::cuEventSynchronize(stopped)), "cuEventSynchronize");
    const auto [measured, milliseconds] = cu::cuEventElapsedTime(started, stopped);
    demand(measured, "cuEventElapsedTime");
    times.push_back(milliseconds);
  }
  demand(std::get<0>(cu::cuMemcpyDtoHAsync(out, d_out, stream)), "cuMemcpyDtoHAsync");
  demand(std::get<0>(cu::cuStreamSynchronize(stream)), "cuStreamSynchronize");

  for (const cu::CUdeviceptr memory : {d_x, d_y, d_out}) demand(std::get<0>(cu::cuMemFree(memory)), "cuMemFree");
  for (const cu::CUevent event : {started, stopped}) demand(std::get<0>(cu::cuEventDestroy(event)), "cuEventDestroy");
  demand(std::get<0>(cu::cuStreamDestroy(stream)), "cuStreamDestroy");
  demand(std::get<0>(cu::cuModuleUnload(module)), "cuModuleUnload");
  char name[256] = {};
  demand(std::get<0>(cu::cuDeviceGetName(name, device)), "cuDeviceGetName");
  demand(std::get<0>(cu::cuDevicePrimaryCtxRelease(device)), "cuDevicePrimaryCtxRelease");
  const double application =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();

  for (std::size_t i = 0; i < n; ++i) {
    if (std::abs(out[i] - (a * x[i] + y[i])) <= 1e-5f) continue;
    std::fprintf(stderr, "the result is wrong\n");
    return 1;
  }
  std::sort(times.begin(), times.end());
  std::printf("device       %s, compute capability %d.%d\n", name, major, minor);
  std::printf("saxpy kernel_ms=%.5f application_ms=%.3f\n", (times[launches / 2 - 1] + times[launches / 2]) / 2.0f,
              application);
}
