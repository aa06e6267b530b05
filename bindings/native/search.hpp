// SPDX-License-Identifier: Apache-2.0
// Where the libraries may lie: wheels beside us, toolkits, the system's search path, WSL. Lists files, opens none.
#pragma once

#include <string>
#include <vector>

#include "native/slots.hpp"

namespace cuda_bindings {

// The CUDA majors whose libraries the tables fit, newest first: libcudart.so.13, libcudart.so.12.
inline constexpr int fitting_majors[] = {13, 12};

struct Candidate {
  std::string path;    // absolute, or a bare name for the system's own search
  std::string origin;  // "wheel", "toolkit", "system", ...
  int version = 0;     // 1000 * major + 10 * minor as far as names tell; 0: not known, ask the library
};

std::string environment(const char* name);
bool is_file(const std::string& path);
// The file itself, links followed; the path unchanged where that fails.
std::string real_path(const std::string& path);
// True for .../stubs/libcuda.so, also behind a link: link-time stand-ins of a toolkit, which answer every call with an
// error. A folder of that name further up says nothing.
bool in_stubs_folder(const std::string& path);

// "libcudart.so.13"
std::string soname(Library library, int major);
// The files that can be libcuda where the dynamic linker finds none that can be used: the usual places behind a stub that
// a search path has put in front, and WSL's, which is on no search path. `root` stands before each.
std::vector<Candidate> driver_files(const std::string& root = "");
// The files of that name on the dynamic linker's search path, as far as it tells (its cache it does not).
std::vector<std::string> files_on_search_path(const std::string& name);
// The folders that can hold the library, in order, with their origin in `Candidate::origin`: wheels in the package folders,
// the toolkit that the environment names, toolkits in `installed`.
std::vector<Candidate> library_folders(const std::vector<std::string>& package_folders,
                                       const std::string& installed = "/usr/local");
// The library's files in one folder, newest major first. NVRTC's exact version is read off its companion
// libnvrtc-builtins.so.X.Y, which saves opening 100 MB only to ask.
std::vector<Candidate> files_in(const Candidate& folder, Library library);

}  // namespace cuda_bindings
