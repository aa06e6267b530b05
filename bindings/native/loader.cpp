// SPDX-License-Identifier: Apache-2.0
// Opens the three libraries: in the order of the design, each once, and remembers where it looked.
#include "native/loader.hpp"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "native/device.hpp"
#include "native/image.hpp"
#include "native/search.hpp"

namespace cuda_bindings {
namespace {

constexpr int stub_library_status = 34;  // CUDA_ERROR_STUB_LIBRARY

struct Entry {
  std::mutex opening;
  std::atomic<const LoadedLibrary*> loaded{nullptr};  // never freed: slots point into the library
  // Held for a copy only, so that attempts() with the GIL cannot wait for an opening that waits for the GIL.
  std::mutex reporting;
  std::vector<Attempt> attempts;
};

Entry* all_entries = nullptr;  // for the handlers of fork

// In the order of open_library. A child must not find a lock held by a thread that it has not.
void lock_for_fork() {
  for (const Library library : {LIBRARY_RUNTIME, LIBRARY_NVRTC, LIBRARY_DRIVER}) {
    all_entries[library].opening.lock();
    all_entries[library].reporting.lock();
  }
}

void unlock_after_fork() {
  for (const Library library : {LIBRARY_RUNTIME, LIBRARY_NVRTC, LIBRARY_DRIVER}) {
    all_entries[library].reporting.unlock();
    all_entries[library].opening.unlock();
  }
}

Entry* make_entries() {
  all_entries = new Entry[LIBRARY_COUNT];
  pthread_atfork(lock_for_fork, unlock_after_fork, unlock_after_fork);
  return all_entries;
}

Entry& entry(Library library) {
  // Not destroyed at exit: threads may still call.
  static Entry* const entries = make_entries();
  return entries[library];
}

std::vector<std::string>& package_folders() {
  static auto* const folders = new std::vector<std::string>;
  return *folders;
}

std::string path_of(void* handle, const std::string& asked) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr) return asked;
  return map->l_name[0] != '\0' ? std::string(map->l_name) : asked;
}

template <class Function>
Function exported(void* handle, const char* name) {
  return reinterpret_cast<Function>(dlsym(handle, name));
}

// The library's own version, and the status with which it answered (0 also where it has no such function).
struct Answer {
  int version = 0;
  int status = 0;
};

Answer ask_version(void* handle, Library library) {
  Answer answer;
  if (library == LIBRARY_NVRTC) {
    if (const auto ask = exported<int (*)(int*, int*)>(handle, "nvrtcVersion")) {
      int major = 0;
      int minor = 0;
      answer.status = ask(&major, &minor);
      constexpr int limit = 1000;  // what is no version must not overflow either
      const bool is_version = major >= 0 && major < limit && minor >= 0 && minor < limit;
      answer.version = is_version ? 1000 * major + 10 * minor : 0;
    }
    return answer;
  }
  const char* const name = library == LIBRARY_DRIVER ? "cuDriverGetVersion" : "cudaRuntimeGetVersion";
  if (const auto ask = exported<int (*)(int*)>(handle, name)) answer.status = ask(&answer.version);
  return answer;
}

using Found = std::optional<LoadedLibrary>;

// One search for one library: what was tried, and what was found.
class Search {
 public:
  explicit Search(Library library) : library_(library) {}

  // Opens a file or, for a bare name, what the dynamic linker finds or has loaded. A library that cannot be used is closed
  // again; a damaged file is not given to the dynamic linker, which would die of it.
  Found open(const std::string& path, const std::string& origin, int flags = RTLD_NOW) {
    const std::string place = origin.empty() ? path : path + " (" + origin + ")";
    const bool names_file = path.find('/') != std::string::npos;
    if (const std::string fault = names_file ? image_fault(path) : std::string(); !fault.empty()) {
      note(place, fault);
      return std::nullopt;
    }
    void* const handle = dlopen(path.c_str(), flags | RTLD_LOCAL);
    if (handle == nullptr) {
      note(place, (flags & RTLD_NOLOAD) != 0 ? "not loaded" : reason(path));
      return std::nullopt;
    }
    LoadedLibrary library{handle, path_of(handle, path), 0};
    const std::string refusal = examine(library);
    if (!refusal.empty()) {
      note(library.path == path ? place : place + " -> " + library.path, refusal);
      dlclose(handle);
      return std::nullopt;
    }
    note(place, library.path == path ? "opened" : "opened " + library.path);
    return library;
  }

  // What the dynamic linker finds under a bare name; what cannot be used is passed over, which it would not do.
  Found open_on_system(const std::string& name) {
    bool is_first = true;  // so the dynamic linker finds it, too
    for (const std::string& path : files_on_search_path(name)) {
      std::string fault = image_fault(path);
      if (fault.empty()) fault = stub_fault(path);
      if (!fault.empty()) {
        note(path + " (system)", fault);
      } else if (Found found = open(is_first ? name : path, "system")) {
        return found;
      }
      is_first = false;
    }
    return is_first ? open(name, "system") : std::nullopt;
  }

  void note(const std::string& place, const std::string& outcome) { attempts_.push_back({place, outcome}); }
  std::vector<Attempt> take_attempts() { return std::move(attempts_); }
  Library library() const { return library_; }

 private:
  static std::string reason(const std::string& path) {
    const char* const error = dlerror();
    std::string text = error == nullptr ? "cannot be opened" : error;
    // "libcuda.so.1: cannot open shared object file: ..." says the name that stands before it already
    if (text.starts_with(path + ": ")) text.erase(0, path.size() + 2);
    return text;
  }

  std::string stub_fault(const std::string& path) const {
    if (!in_stubs_folder(path)) return {};
    return library_ == LIBRARY_DRIVER ? "refused: a toolkit's stub, not a driver" : "refused: a toolkit's stub";
  }

  // Sets the version; a reason to refuse the library, or nothing.
  std::string examine(LoadedLibrary& library) const {
    if (std::string fault = stub_fault(library.path); !fault.empty()) return fault;
    const Answer answer = ask_version(library.handle, library_);
    if (library_ == LIBRARY_DRIVER && answer.status == stub_library_status)
      return "refused: a stub, not a driver (CUDA_ERROR_STUB_LIBRARY)";
    // A number that is none says as little as a failure does.
    library.version = answer.status == 0 ? std::max(answer.version, 0) : 0;
    return {};
  }

  Library library_;
  std::vector<Attempt> attempts_;
};

// The emulated device in place of a library: its own file, and never another one instead.
Found open_emulated(Search& search) {
  const Library library = search.library();
  const std::string named = environment(library_variable(library));
  if (!named.empty()) {
    search.note(named + " (" + library_variable(library) + ")",
                "not taken: the emulated device was asked for, and both cannot be had");
    return std::nullopt;
  }
  return search.open(emulator_file(library), "emulated device");
}

Found open_driver(Search& search) {
  const Device device = wanted_device();
  if (device == Device::emulated) return open_emulated(search);
  if (device == Device::unknown) {
    search.note("CUDA_BINDINGS_DEVICE=" + environment("CUDA_BINDINGS_DEVICE"),
                "unknown device; the only one that can be asked for is 'emulated'");
    return std::nullopt;
  }
  // What the user names is taken or is an error: falling back would run on something else.
  const std::string named = environment(library_variable(LIBRARY_DRIVER));
  if (!named.empty()) return search.open(named, library_variable(LIBRARY_DRIVER));
  if (Found found = search.open("libcuda.so.1", "already loaded", RTLD_NOW | RTLD_NOLOAD)) return found;
  if (Found found = search.open_on_system("libcuda.so.1")) return found;
  for (const Candidate& file : driver_files()) {
    if (Found found = search.open(file.path, file.origin)) return found;
  }
  return std::nullopt;
}

// "/usr/local/cuda/lib64/libnvrtc.so.{13,12}"
std::string sonames_in(const Candidate& folder, Library library) {
  std::string name = folder.path + "/" + soname(library, fitting_majors[0]);
  std::string majors;
  for (const int major : fitting_majors) majors += (majors.empty() ? "" : ",") + std::to_string(major);
  return name.substr(0, name.rfind('.')) + ".{" + majors + "} (" + folder.origin + ")";
}

// A driver takes what is not newer than itself: PTX of a newer NVRTC is refused (CUDA_ERROR_UNSUPPORTED_PTX_VERSION), a
// libcudart of a newer major does not start.
bool driver_takes(Library library, int version, int driver) {
  if (driver == 0 || version == 0) return true;
  return library == LIBRARY_NVRTC ? version <= driver : version / 1000 <= driver / 1000;
}

int driver_version() {
  const LoadedLibrary* const driver = open_library(LIBRARY_DRIVER);
  return driver == nullptr ? 0 : driver->version;
}

// Keeps the best library seen so far. Better is: the driver takes it; for NVRTC then the newest that the driver takes, or,
// if it takes none, the one nearest to it. Equal: who came first.
class Best {
 public:
  Best(Library library, int driver) : library_(library), driver_(driver) {}

  bool improves(int version) const {
    if (!found_) return true;
    const bool takes = driver_takes(library_, version, driver_);
    const bool took = driver_takes(library_, found_->version, driver_);
    if (takes != took) return takes;
    if (library_ != LIBRARY_NVRTC) return false;
    return takes ? version > found_->version : version < found_->version;
  }

  void offer(Found library) {
    if (!library) return;
    if (improves(library->version)) std::swap(found_, library);
    if (library) dlclose(library->handle);
  }

  Found take() { return std::move(found_); }
  bool found() const { return found_.has_value(); }
  bool settled() const {
    return found_ && library_ != LIBRARY_NVRTC && driver_takes(library_, found_->version, driver_);
  }

 private:
  Library library_;
  int driver_;
  Found found_;
};

// Offers the files of one folder; `seen` holds the files that other folders have offered under other names.
void look_in(const Candidate& folder, Search& search, Best& best, std::vector<std::string>& seen) {
  const std::vector<Candidate> files = files_in(folder, search.library());
  if (files.empty()) search.note(sonames_in(folder, search.library()), "not there");
  for (const Candidate& file : files) {
    const std::string real = real_path(file.path);
    if (std::find(seen.begin(), seen.end(), real) != seen.end()) continue;
    seen.push_back(real);
    if (file.version != 0 && !best.improves(file.version)) {
      search.note(file.path + " (" + file.origin + ")", "passed over: another fits the driver better");
    } else {
      best.offer(search.open(file.path, file.origin));
    }
    if (best.settled()) return;
  }
}

Found open_beside(Search& search) {
  const Library library = search.library();
  if (library == LIBRARY_RUNTIME && wanted_device() == Device::emulated) return open_emulated(search);
  const char* const variable = library_variable(library);
  const std::string named = environment(variable);
  if (!named.empty()) return search.open(named, variable);
  const int driver = driver_version();
  for (const int major : fitting_majors) {
    Found loaded = search.open(soname(library, major), "already loaded", RTLD_NOW | RTLD_NOLOAD);
    // One that the process uses already serves, unless its output would be refused.
    if (loaded && driver_takes(library, loaded->version, driver)) return loaded;
    if (loaded) dlclose(loaded->handle);
  }
  Best best(library, driver);
  std::vector<std::string> seen;
  for (const Candidate& folder : library_folders(package_folders())) {
    if (!best.settled()) look_in(folder, search, best, seen);
  }
  // Last, and only if need be: a bare name that is loaded already means that file again, not what the system has.
  for (const int major : fitting_majors) {
    if (!best.found()) best.offer(search.open_on_system(soname(library, major)));
  }
  return best.take();
}

// NVRTC opens its companion by a bare name, and NVIDIA's wheels give it no search path: unless a toolkit is known to the
// system, only one that is loaded already is found. Where there is none beside it, NVRTC's own error says so.
void open_companion(const LoadedLibrary& nvrtc) {
  const std::string folder = nvrtc.path.substr(0, nvrtc.path.rfind('/') + 1);
  if (folder.empty()) return;
  const std::string version = std::to_string(nvrtc.version / 1000) + "." + std::to_string(nvrtc.version % 1000 / 10);
  const std::string companion = folder + "libnvrtc-builtins.so." + version;
  if (image_fault(companion).empty()) dlopen(companion.c_str(), RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

const LoadedLibrary* opened_library(Library library) noexcept {
  return entry(library).loaded.load(std::memory_order_acquire);
}

const LoadedLibrary* open_library(Library library) {
  if (const LoadedLibrary* const opened = opened_library(library)) return opened;
  Entry& place = entry(library);
  // Order of locks: libcudart's or NVRTC's first, then the driver's.
  const std::lock_guard<std::mutex> guard(place.opening);
  if (const LoadedLibrary* const opened = opened_library(library)) return opened;
  Search search(library);
  const Found found = library == LIBRARY_DRIVER ? open_driver(search) : open_beside(search);
  {
    const std::lock_guard<std::mutex> report(place.reporting);
    place.attempts = search.take_attempts();
  }
  if (!found) return nullptr;
  if (library == LIBRARY_NVRTC) open_companion(*found);
  const LoadedLibrary* const kept = new LoadedLibrary(*found);
  place.loaded.store(kept, std::memory_order_release);
  return kept;
}

std::string select_emulated_device() {
  // The same order of locks as in open_library.
  Entry& runtime = entry(LIBRARY_RUNTIME);
  Entry& driver = entry(LIBRARY_DRIVER);
  const std::scoped_lock guard(runtime.opening, driver.opening);
  const std::string expected[] = {emulator_file(LIBRARY_DRIVER), emulator_file(LIBRARY_RUNTIME)};
  for (const Library library : {LIBRARY_DRIVER, LIBRARY_RUNTIME}) {
    const LoadedLibrary* const loaded = opened_library(library);
    if (loaded == nullptr || real_path(loaded->path) == expected[library]) continue;
    return std::string(library_name(library)) + " is in use already (" + loaded->path + ")";
  }
  for (const Library library : {LIBRARY_DRIVER, LIBRARY_RUNTIME}) {
    const std::string named = environment(library_variable(library));
    if (!named.empty()) return std::string(library_variable(library)) + " names another library (" + named + ")";
  }
  if (!is_file(expected[LIBRARY_DRIVER])) return "this build of the package has no " + expected[LIBRARY_DRIVER];
  ask_for_emulated_device();
  return {};
}

std::vector<Attempt> attempts(Library library) {
  Entry& place = entry(library);
  const std::lock_guard<std::mutex> guard(place.reporting);
  return place.attempts;
}

void set_package_folders(std::vector<std::string> folders) { package_folders() = std::move(folders); }

const char* fitting_extra() {
  const int driver = driver_version();
  return driver != 0 && driver / 1000 == 12 ? "cuda12" : "cuda13";
}

const char* library_name(Library library) noexcept {
  constexpr const char* names[] = {"libcuda", "libcudart", "libnvrtc"};
  return names[library];
}

const char* library_variable(Library library) noexcept {
  constexpr const char* names[] = {"CUDA_BINDINGS_LIBCUDA", "CUDA_BINDINGS_LIBCUDART", "CUDA_BINDINGS_LIBNVRTC"};
  return names[library];
}

DefaultStream read_default_stream(const std::string& text) {
  constexpr const char* spaces = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string::npos) return DefaultStream::not_an_integer;
  const std::size_t last = text.find_last_not_of(spaces);
  std::size_t position = first + (text[first] == '+' || text[first] == '-' ? 1 : 0);
  bool nonzero = false;
  bool digit_before = false;  // an underscore stands between two digits
  for (; position <= last; ++position) {
    const char character = text[position];
    if (character == '_' && digit_before && position < last) {
      digit_before = false;
      continue;
    }
    if (character < '0' || character > '9') return DefaultStream::not_an_integer;
    nonzero = nonzero || character != '0';
    digit_before = true;
  }
  if (!digit_before) return DefaultStream::not_an_integer;
  return nonzero ? DefaultStream::per_thread : DefaultStream::legacy;
}

namespace {

struct StreamSetting {
  std::string text = environment("CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM");
  DefaultStream value = std::getenv("CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM") == nullptr
                            ? DefaultStream::legacy
                            : read_default_stream(text);
};

const StreamSetting& stream_setting() {
  static const StreamSetting* const setting = new StreamSetting;
  return *setting;
}

}  // namespace

DefaultStream default_stream() { return stream_setting().value; }
const std::string& default_stream_text() { return stream_setting().text; }

}  // namespace cuda_bindings
