// SPDX-License-Identifier: Apache-2.0
// Reads the ELF header and the program headers of a file, and holds them against its size and this machine.
#include "native/image.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

namespace cuda_bindings {
namespace {

#if defined(__aarch64__)
constexpr Elf64_Half own_machine = EM_AARCH64;
#else
constexpr Elf64_Half own_machine = EM_X86_64;
#endif

std::string reason_of(int error) {
  if (error == ENOENT || error == ENOTDIR) return "no such file";
  return std::strerror(error);
}

// A file that is closed when its reader is done.
class File {
 public:
  explicit File(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  bool read(void* target, std::size_t size, std::uint64_t offset) const {
    return pread(descriptor_, target, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
  }

 private:
  int descriptor_;
};

std::string cut_off(std::uint64_t size, std::uint64_t wanted) {
  return "cut off: " + std::to_string(size) + " bytes of at least " + std::to_string(wanted);
}

std::string fault_of_header(const Elf64_Ehdr& header) {
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return "made for another machine (not 64-bit)";
  if (header.e_machine != own_machine) {
    return "made for another machine (ELF machine " + std::to_string(header.e_machine) + ", this one is " +
           std::to_string(own_machine) + ")";
  }
  if (header.e_type != ET_DYN || header.e_phentsize != sizeof(Elf64_Phdr)) return "not a shared library";
  return {};
}

// A segment that reaches behind the file's end would be mapped all the same.
std::string fault_of_segments(const File& file, const Elf64_Ehdr& header, std::uint64_t size) {
  const std::uint64_t table = std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
  if (header.e_phoff > size || table > size - header.e_phoff) return cut_off(size, header.e_phoff + table);
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!file.read(segments.data(), table, header.e_phoff)) return "cannot be read";
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
      return cut_off(size, segment.p_offset + segment.p_filesz);
  }
  return {};
}

}  // namespace

std::string image_fault(const std::string& path) {
  struct stat status {};
  // Asked before the file is opened: opening a pipe would wait for its writer.
  if (stat(path.c_str(), &status) != 0) return reason_of(errno);
  if (S_ISDIR(status.st_mode)) return "a folder, not a library";
  if (!S_ISREG(status.st_mode)) return "not a regular file";
  const File file(path);
  if (!file.is_open()) return reason_of(errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size == 0) return "an empty file";
  Elf64_Ehdr header{};
  const bool is_elf =
      size >= SELFMAG && file.read(header.e_ident, SELFMAG, 0) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
  if (!is_elf) return "not a library (no ELF file)";
  if (size < sizeof header) return cut_off(size, sizeof header);
  if (!file.read(&header, sizeof header, 0)) return "cannot be read";
  std::string fault = fault_of_header(header);
  return fault.empty() ? fault_of_segments(file, header, size) : fault;
}

}  // namespace cuda_bindings
