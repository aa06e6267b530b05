// SPDX-License-Identifier: Apache-2.0
// Slots and search without Python: stubs, patching, missing functions and libraries, folder order, the stream variable.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <dlfcn.h>

#include "native/image.hpp"
#include "native/loader.hpp"
#include "native/search.hpp"
#include "native/slots.hpp"

namespace cuda_bindings {

// A table of our own over the fake libcuda: three functions of its, and one that no library has.
enum Status : int { success = 0, not_found = 500 };

struct DriverTable {
  Slot<LIBRARY_DRIVER, 0, Status(unsigned)> cuInit;
  Slot<LIBRARY_DRIVER, 1, Status(unsigned long long*, std::size_t)> cuMemAlloc_v2;
  Slot<LIBRARY_DRIVER, 2, Status(int)> cuNoSuchFunction;
  Slot<LIBRARY_DRIVER, 3, Status(void*)> cuStreamSynchronize;
  Slot<LIBRARY_DRIVER, 4, Status(int*)> cuDriverGetVersion;
};
struct RuntimeTable {
  Slot<LIBRARY_RUNTIME, 0, Status(int*)> cudaGetDevice;
  Slot<LIBRARY_RUNTIME, 1, const char*(int)> cudaGetErrorName;
  Slot<LIBRARY_RUNTIME, 2, std::pair<long, long>(int)> cudaCreateChannelDesc;
};

static_assert(is_slot_table<DriverTable>(5));

namespace {

DriverTable driver;
RuntimeTable runtime;
const SlotRow driver_rows[] = {{"cuInit", "cuInit", nullptr, 2000, 0},
                               {"cuMemAlloc", "cuMemAlloc_v2", nullptr, 3020, 0},
                               {"cuNoSuchFunction", "cuNoSuchFunction", nullptr, 13090, 0},
                               {"cuStreamSynchronize", "cuStreamSynchronize", "cuStreamSynchronize_ptsz", 2000, 0},
                               {"cuDriverGetVersion", "cuDriverGetVersion", nullptr, 2020, 14000}};
const SlotRow runtime_rows[] = {{"cudaGetDevice", "cudaGetDevice", nullptr, 0, 0},
                                {"cudaGetErrorName", "cudaGetErrorName", nullptr, 0, 0},
                                {"cudaCreateChannelDesc", "cudaCreateChannelDesc", nullptr, 0, 0}};
std::atomic<unsigned char> driver_states[5];
std::atomic<unsigned char> runtime_states[3];

// Before any test: libraries are chosen once per process.
const bool prepared = [] {
  setenv("CUDA_BINDINGS_LIBCUDA", FAKE_LIBCUDA, 1);
  setenv("CUDA_BINDINGS_LIBCUDART", "/nowhere/libcudart.so.13", 1);
  unsetenv("CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM");
  unsetenv("CUDA_BINDINGS_DEVICE");
  return true;
}();

std::uint64_t calls(const char* link_name) {
  static void* const fake = dlopen(FAKE_LIBCUDA, RTLD_NOW);
  return reinterpret_cast<std::uint64_t (*)(const char*)>(dlsym(fake, "fake_call_count"))(link_name);
}

}  // namespace

const SlotTable driver_slot_table = {&driver, driver_rows, driver_states, 5};
const SlotTable runtime_slot_table = {&runtime, runtime_rows, runtime_states, 3};
const SlotTable nvrtc_slot_table = {nullptr, nullptr, nullptr, 0};

namespace {

TEST(Slots, FirstCallOfSixtyFourThreadsResolvesOnceAndLosesNoCall) {
  ASSERT_EQ(slot_state(LIBRARY_DRIVER, 1), SLOT_UNRESOLVED);
  std::barrier start(64);
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int index = 0; index < 64; ++index) {
    threads.emplace_back([&] {
      unsigned long long pointer = 0;
      start.arrive_and_wait();
      if (driver.cuMemAlloc_v2(&pointer, 16) != success) ++failures;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(calls("cuMemAlloc_v2"), 64U);
  EXPECT_EQ(slot_state(LIBRARY_DRIVER, 1), SLOT_RESOLVED);
}

TEST(Slots, CallsGoStraightToTheLibraryOnceResolved) {
  EXPECT_EQ(driver.cuInit(0), success);
  void* const fake = dlopen(FAKE_LIBCUDA, RTLD_NOW);
  EXPECT_EQ(reinterpret_cast<void*>(driver.cuInit.get()), dlsym(fake, "cuInit"));
}

TEST(Slots, MissingFunctionAnswersNotFoundAndLeavesOthersAlone) {
  EXPECT_EQ(driver.cuNoSuchFunction(1), not_found);
  EXPECT_EQ(driver.cuNoSuchFunction(2), not_found);
  EXPECT_EQ(slot_state(LIBRARY_DRIVER, 2), SLOT_NO_FUNCTION);
  EXPECT_EQ(driver.cuInit(0), success);
}

TEST(Slots, FunctionWhosePrototypeChangedSinceTheLibraryIsNotCalled) {
  int version = 0;
  const std::uint64_t before = calls("cuDriverGetVersion");
  ASSERT_NE(open_library(LIBRARY_DRIVER), nullptr);  // asks for the version itself
  const std::uint64_t opened = calls("cuDriverGetVersion");
  EXPECT_EQ(driver.cuDriverGetVersion(&version), not_found);
  EXPECT_EQ(slot_state(LIBRARY_DRIVER, 4), SLOT_OLDER_INTERFACE);
  EXPECT_EQ(calls("cuDriverGetVersion"), opened);
  EXPECT_LE(opened - before, 1U);
}

TEST(Slots, DefaultStreamIsTheLegacyOneUnlessAskedFor) {
  EXPECT_EQ(driver.cuStreamSynchronize(nullptr), success);
  EXPECT_EQ(calls("cuStreamSynchronize"), 1U);
  EXPECT_EQ(calls("cuStreamSynchronize_ptsz"), 0U);
}

TEST(Slots, MissingLibraryAnswersItsOwnCodeNullOrZeros) {
  int device = 7;
  EXPECT_EQ(static_cast<int>(runtime.cudaGetDevice(&device)), 36);  // cudaErrorCallRequiresNewerDriver
  EXPECT_EQ(device, 7);
  EXPECT_EQ(runtime.cudaGetErrorName(1), nullptr);
  EXPECT_EQ(runtime.cudaCreateChannelDesc(1), (std::pair<long, long>(0, 0)));
  EXPECT_EQ(slot_state(LIBRARY_RUNTIME, 0), SLOT_NO_LIBRARY);
  const std::vector<Attempt> made = attempts(LIBRARY_RUNTIME);
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0].place, "/nowhere/libcudart.so.13 (CUDA_BINDINGS_LIBCUDART)");
  EXPECT_EQ(made[0].outcome, "no such file");
}

TEST(Slots, ResolvingGivesUpTheGilAndTakesItBack) {
  static int released = 0;
  static int restored = 0;
  static int token = 0;
  set_gil_hooks({[]() -> void* {
                   ++released;
                   return &token;
                 },
                 [](void* thread) { restored += thread == &token ? 1 : 0; }});
  int device = 0;
  runtime.cudaGetDevice(&device);
  set_gil_hooks({nullptr, nullptr});
  EXPECT_EQ(released, 1);
  EXPECT_EQ(restored, 1);
}

TEST(DefaultStream, ReadsWhatPythonsIntReads) {
  for (const char* const text : {"1", " 1\n", "+1", "-1", "1_0", "007", "99999999999999999999"}) {
    EXPECT_EQ(read_default_stream(text), DefaultStream::per_thread) << text;
  }
  for (const char* const text : {"0", "00", "-0", " 0 "})
    EXPECT_EQ(read_default_stream(text), DefaultStream::legacy) << text;
  for (const char* const text : {"", " ", "yes", "1.0", "0x1", "_1", "1_", "1__0", "+", "1 0"}) {
    EXPECT_EQ(read_default_stream(text), DefaultStream::not_an_integer) << text;
  }
}

class Folders : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() / ("slots-" + std::to_string(getpid()));
    for (const char* const variable : {"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX", "LD_LIBRARY_PATH"}) unsetenv(variable);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string file(const std::string& path) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << "";
    return (root_ / path).string();
  }
  std::string at(const std::string& path) { return (root_ / path).string(); }

  std::filesystem::path root_;
};

TEST_F(Folders, StandInTheOrderWheelsEnvironmentToolkitsSystem) {
  file("site/nvidia/x");
  file("opt/cuda-12.9/x");
  file("opt/cuda-13.0/x");
  file("opt/cuda-9.0/x");
  setenv("CUDA_HOME", "/home/toolkit", 1);
  setenv("LD_LIBRARY_PATH", "/first::/second", 1);
  std::vector<std::string> lines;
  for (const Candidate& folder : library_folders({at("site"), at("empty")}, at("opt"))) {
    if (!folder.path.ends_with("/targets/x86_64-linux/lib") && !folder.path.ends_with("/lib64")) {
      lines.push_back(folder.origin + " " + folder.path);
    }
  }
  const std::vector<std::string> expected = {
      "wheel " + at("site/nvidia/cu13/lib"),
      "wheel " + at("site/nvidia/cu12/lib"),
      "wheel " + at("site/nvidia/cuda_runtime/lib"),
      "wheel " + at("site/nvidia/cuda_nvrtc/lib"),
      "wheel " + at("empty/nvidia/*/lib"),
      "CUDA_HOME /home/toolkit/lib",
      "toolkit " + at("opt/cuda/lib"),
      "toolkit " + at("opt/cuda-13.0/lib"),
      "toolkit " + at("opt/cuda-12.9/lib"),
      "toolkit " + at("opt/cuda-9.0/lib"),
      "LD_LIBRARY_PATH /first",
      "LD_LIBRARY_PATH /second",
      "system /usr/lib/x86_64-linux-gnu",
      "system /usr/lib",
  };
  EXPECT_EQ(lines, expected);
}

TEST_F(Folders, NvrtcsVersionIsReadOffItsBuiltins) {
  const std::string newer = file("lib/libnvrtc.so.13");
  const std::string older = file("lib/libnvrtc.so.12");
  file("lib/libnvrtc-builtins.so.12.9");
  file("lib/libnvrtc-builtins.so.13.1");
  const std::vector<Candidate> files = files_in({at("lib"), "toolkit"}, LIBRARY_NVRTC);
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].path, newer);
  EXPECT_EQ(files[0].version, 13010);
  EXPECT_EQ(files[1].path, older);
  EXPECT_EQ(files[1].version, 12090);
}

TEST_F(Folders, LibraryOfAnotherMajorOrWithoutBuiltinsIsNotGuessedAt) {
  file("lib/libnvrtc.so.11.2");
  file("lib/libnvrtc.so.13");
  const std::vector<Candidate> files = files_in({at("lib"), "toolkit"}, LIBRARY_NVRTC);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].version, 0);
}

TEST_F(Folders, DriverIsTheSystemsBeforeWslsWhereTheLinkerKnowsNone) {
  for (const char* const folder : {"lib/wsl/lib", "lib", "lib64", "lib/aarch64-linux-gnu", "lib/x86_64-linux-gnu"})
    file("root/usr/" + std::string(folder) + "/libcuda.so.1");
  std::vector<std::string> lines;
  for (const Candidate& found : driver_files(at("root"))) lines.push_back(found.origin + " " + found.path);
  const std::vector<std::string> expected = {
      "system " + at("root/usr/lib/x86_64-linux-gnu/libcuda.so.1"),
      "system " + at("root/usr/lib/aarch64-linux-gnu/libcuda.so.1"),
      "system " + at("root/usr/lib64/libcuda.so.1"),
      "system " + at("root/usr/lib/libcuda.so.1"),
      "WSL " + at("root/usr/lib/wsl/lib/libcuda.so.1"),
  };
  EXPECT_EQ(lines, expected);
}

TEST_F(Folders, WslsPlaceIsNamedEvenWhereThereIsNothing) {
  const std::vector<Candidate> found = driver_files(at("nowhere"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].path, at("nowhere/usr/lib/wsl/lib/libcuda.so.1"));
}

TEST_F(Folders, StubIsKnownByItsFolder) {
  EXPECT_TRUE(in_stubs_folder("/usr/local/cuda/lib64/stubs/libcuda.so.1"));
  EXPECT_FALSE(in_stubs_folder("/usr/lib/x86_64-linux-gnu/libcuda.so.1"));
  EXPECT_FALSE(in_stubs_folder("/home/me/stubs/driver/libcuda.so.1"));
  EXPECT_FALSE(in_stubs_folder("/home/me/mystubs/libcuda.so.1"));
}

TEST_F(Folders, StubBehindALinkIsAStub) {
  file("cuda/lib64/stubs/libcuda.so");
  std::filesystem::create_symlink(at("cuda/lib64/stubs/libcuda.so"), at("libcuda.so.1"));
  EXPECT_TRUE(in_stubs_folder(at("libcuda.so.1")));
}

TEST_F(Folders, LibraryThatIsWholeHasNoFault) { EXPECT_EQ(image_fault(FAKE_LIBCUDA), ""); }

TEST_F(Folders, NoFileAFolderAndATextAreFaultsOfTheirOwn) {
  std::ofstream(file("text")) << "INPUT(libcuda.so.1)";
  EXPECT_EQ(image_fault(at("nothing")), "no such file");
  EXPECT_EQ(image_fault(at(".")), "a folder, not a library");
  EXPECT_EQ(image_fault(file("empty")), "an empty file");
  EXPECT_EQ(image_fault(at("text")), "not a library (no ELF file)");
}

TEST_F(Folders, LibraryCutAnywhereInWhatIsMappedHasAFault) {
  const std::string copy = file("copy");
  const auto size = std::filesystem::file_size(FAKE_LIBCUDA);
  for (const std::uintmax_t kept : {std::uintmax_t{20}, std::uintmax_t{64}, std::uintmax_t{600}, size / 8, size / 4}) {
    std::filesystem::copy_file(FAKE_LIBCUDA, copy, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(copy, kept);
    EXPECT_TRUE(image_fault(copy).starts_with("cut off: " + std::to_string(kept) + " bytes of at least ")) << kept;
  }
}

}  // namespace
}  // namespace cuda_bindings
