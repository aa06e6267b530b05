// SPDX-License-Identifier: Apache-2.0
// Lists the places where the three libraries may lie.
#include "native/search.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace cuda_bindings {
namespace {

constexpr const char* stems[] = {"libcuda", "libcudart", "libnvrtc"};

#if defined(__aarch64__)
constexpr const char* target_folder = "targets/sbsa-linux/lib";
constexpr const char* system_folder = "/usr/lib/aarch64-linux-gnu";
#else
constexpr const char* target_folder = "targets/x86_64-linux/lib";
constexpr const char* system_folder = "/usr/lib/x86_64-linux-gnu";
#endif

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(folder.c_str()), &closedir);
  if (!directory) return names;
  while (const dirent* entry = readdir(directory.get())) names.emplace_back(entry->d_name);
  std::sort(names.begin(), names.end());
  return names;
}

// 13.0 -> 13000, 12 -> 12000; 0 where the text is no version.
int parse_version(std::string_view text) {
  int major = 0;
  int minor = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, major);
  if (first.ec != std::errc()) return 0;
  if (first.ptr != end) {
    if (*first.ptr != '.') return 0;
    const auto second = std::from_chars(first.ptr + 1, end, minor);
    if (second.ec != std::errc() || (second.ptr != end && *second.ptr != '.')) return 0;
  }
  return 1000 * major + 10 * minor;
}

int builtins_version(const std::vector<std::string>& names, int major) {
  constexpr std::string_view prefix = "libnvrtc-builtins.so.";
  int version = 0;
  for (const std::string& name : names) {
    if (name.starts_with(prefix) && name.find('.', prefix.size()) != std::string::npos) {
      const int found = parse_version(std::string_view(name).substr(prefix.size()));
      if (found / 1000 == major) version = std::max(version, found);
    }
  }
  return version;
}

void add_toolkit(std::vector<Candidate>& folders, const std::string& root, const std::string& origin) {
  for (const char* const below : {"lib64", "lib", target_folder}) folders.push_back({root + "/" + below, origin});
}

// Where the dynamic linker looks, as far as that can be known without it. (It is asked too, where nothing else is found.)
void add_system(std::vector<Candidate>& folders) {
  const std::string paths = environment("LD_LIBRARY_PATH");
  for (std::size_t start = 0; start < paths.size();) {
    const std::size_t end = std::min(paths.find(':', start), paths.size());
    if (end > start) folders.push_back({paths.substr(start, end - start), "LD_LIBRARY_PATH"});
    start = end + 1;
  }
  for (const char* const folder : {system_folder, "/usr/lib64", "/usr/lib"}) folders.push_back({folder, "system"});
}

bool is_folder(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool is_file(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}

bool in_stubs_folder(const std::string& path) {
  const auto stands_in_stubs = [](const std::string& file) {
    const std::size_t end = file.rfind('/');
    return end != std::string::npos && std::string_view(file).substr(0, end).ends_with("/stubs");
  };
  return stands_in_stubs(path) || stands_in_stubs(real_path(path));
}

std::string soname(Library library, int major) { return std::string(stems[library]) + ".so." + std::to_string(major); }

std::vector<Candidate> driver_files(const std::string& root) {
  std::vector<Candidate> files;
  for (const char* const folder :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/lib/wsl/lib"}) {
    const std::string path = root + folder + "/libcuda.so.1";
    const bool is_wsl = std::string_view(folder).find("/wsl/") != std::string_view::npos;
    // A report names WSL's place even where there is nothing: nobody else looks there.
    if (is_wsl || is_file(path)) files.push_back({path, is_wsl ? "WSL" : "system"});
  }
  return files;
}

std::vector<std::string> files_on_search_path(const std::string& name) {
  std::vector<std::string> files;
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&files_on_search_path), &self) == 0) return files;
  void* const found = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void* const handle = found != nullptr ? found : dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size{};
  if (handle != nullptr && dlinfo(handle, RTLD_DI_SERINFOSIZE, &size) == 0) {
    const auto memory = std::make_unique<char[]>(size.dls_size);
    auto* const folders = reinterpret_cast<Dl_serinfo*>(memory.get());
    std::memcpy(folders, &size, sizeof size);
    const bool told = dlinfo(handle, RTLD_DI_SERINFO, folders) == 0;
    for (unsigned index = 0; told && index < folders->dls_cnt; ++index) {
      const std::string path = std::string(folders->dls_serpath[index].dls_name) + "/" + name;
      if (access(path.c_str(), F_OK) == 0) files.push_back(path);
    }
  }
  if (handle != nullptr) dlclose(handle);
  return files;
}

std::vector<Candidate> library_folders(const std::vector<std::string>& package_folders, const std::string& installed) {
  std::vector<Candidate> folders;
  for (const std::string& packages : package_folders) {
    if (!is_folder(packages + "/nvidia")) {
      folders.push_back({packages + "/nvidia/*/lib", "wheel"});  // one line of the report instead of four
      continue;
    }
    for (const int major : fitting_majors) {
      folders.push_back({packages + "/nvidia/cu" + std::to_string(major) + "/lib", "wheel"});
    }
    folders.push_back({packages + "/nvidia/cuda_runtime/lib", "wheel"});
    folders.push_back({packages + "/nvidia/cuda_nvrtc/lib", "wheel"});
  }
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const std::string root = environment(variable);
    if (!root.empty()) add_toolkit(folders, root, variable);
  }
  const std::string conda = environment("CONDA_PREFIX");
  if (!conda.empty()) add_toolkit(folders, conda, "CONDA_PREFIX");
  add_toolkit(folders, installed + "/cuda", "toolkit");
  std::vector<std::string> names = names_in(installed);
  std::erase_if(names, [](const std::string& name) { return !name.starts_with("cuda-"); });
  std::stable_sort(names.begin(), names.end(), [](const std::string& left, const std::string& right) {
    return parse_version(std::string_view(left).substr(5)) > parse_version(std::string_view(right).substr(5));
  });
  for (const std::string& name : names) add_toolkit(folders, installed + "/" + name, "toolkit");
  add_system(folders);
  return folders;
}

std::vector<Candidate> files_in(const Candidate& folder, Library library) {
  std::vector<Candidate> files;
  for (const int major : fitting_majors) {
    const std::string path = folder.path + "/" + soname(library, major);
    if (!is_file(path)) continue;
    int version = 0;
    if (library == LIBRARY_NVRTC) version = builtins_version(names_in(folder.path), major);
    files.push_back({path, folder.origin, version});
  }
  return files;
}

}  // namespace cuda_bindings
