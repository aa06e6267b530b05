// SPDX-License-Identifier: Apache-2.0
// Tells the formats of an image apart by their first bytes.
#include "ptx/image.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <string>
#include <string_view>

#include "common/types.hpp"
#include "ptx/fatbin.hpp"

namespace emulator::ptx {

namespace {

using namespace std::string_view_literals;

// Whether the image begins with the bytes. Reads no further than the first that differs: unsized text may be short.
bool begins_with(const char* image, std::optional<std::size_t> size, std::string_view bytes) {
  if (size && *size < bytes.size()) return false;
  for (std::size_t each = 0; each < bytes.size(); ++each) {
    if (image[each] != bytes[each]) return false;
  }
  return true;
}

// The magic number as it lies in memory.
std::string bytes_of(std::uint32_t magic) {
  std::string bytes(sizeof magic, '\0');
  std::memcpy(bytes.data(), &magic, sizeof magic);
  return bytes;
}

// { uint32 magic, uint32 version, const void* container, const void* name }
const std::byte* wrapped_container(const char* image, std::optional<std::size_t> size) {
  constexpr std::size_t container_offset = 8;
  const std::byte* container = nullptr;
  if (size && *size < container_offset + sizeof container) {
    throw LoadError(result::invalid_ptx, 0, "malformed fatbin: the wrapper is cut off");
  }
  std::memcpy(&container, image + container_offset, sizeof container);
  if (container == nullptr || !begins_with(reinterpret_cast<const char*>(container), {}, bytes_of(container_magic))) {
    throw LoadError(result::invalid_ptx, 0, "malformed fatbin: the wrapper does not point to a container");
  }
  return container;
}

// Whether the first word of a text is .version: drivers take no other text for PTX.
bool states_a_version(std::string_view text) {
  while (!text.empty()) {
    if (std::string_view(" \t\r\n\f\v").find(text.front()) != std::string_view::npos) {
      text.remove_prefix(1);
    } else if (text.starts_with("//")) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (text.starts_with("/*")) {
      const std::size_t end = text.find("*/", 2);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
    } else {
      break;
    }
  }
  return text.starts_with(".version");
}

std::string text_of(const char* image, std::optional<std::size_t> size) {
  const std::size_t length = size ? strnlen(image, *size) : std::strlen(image);
  std::string text(image, length);
  if (!states_a_version(text)) {
    throw LoadError(result::invalid_image, 1,
                    "Missing .version directive: the image is no PTX text, and nothing else that is known");
  }
  return text;
}

}  // namespace

std::string ptx_of_image(const void* image, std::optional<std::size_t> size, unsigned capability) {
  const auto* const text = static_cast<const char*>(image);
  if (text == nullptr) throw LoadError(result::invalid_ptx, 0, "the image is a null pointer");
  if (begins_with(text, size,
                  "\x7f"
                  "ELF"sv)) {
    throw LoadError(result::no_binary_for_gpu, 0,
                    "the image is a cubin (ELF); the emulated device executes PTX only: compile for compute_" +
                        std::to_string(capability) + " (virtual), not sm_" + std::to_string(capability));
  }
  if (begins_with(text, size, "BC\xc0\xde"sv)) {
    throw LoadError(result::no_binary_for_gpu, 0, "the image is LLVM bitcode; the emulated device executes PTX only");
  }
  if (begins_with(text, size, bytes_of(wrapper_magic))) {
    return ptx_of_fatbin(container_at(wrapped_container(text, size), std::nullopt), capability);
  }
  if (begins_with(text, size, bytes_of(container_magic))) {
    return ptx_of_fatbin(container_at(static_cast<const std::byte*>(image), size), capability);
  }
  return text_of(text, size);
}

}  // namespace emulator::ptx
