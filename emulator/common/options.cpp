// SPDX-License-Identifier: Apache-2.0
// The options of the emulated device, from the environment.
#include "common/options.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "common/read_options.hpp"

namespace emulator {

namespace {

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || rest != end) return std::nullopt;
  return value;
}

/// "12.4" as its two numbers.
struct Version {
  unsigned major = 0;
  unsigned minor = 0;
};

std::optional<Version> dotted(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto major = number<unsigned>(text.substr(0, dot));
  const auto minor = number<unsigned>(text.substr(dot + 1));
  if (!major || !minor || *minor > 9) return std::nullopt;
  return Version{*major, *minor};
}

std::optional<unsigned> read_capability(std::string_view text) {
  const auto version = dotted(text);
  if (!version || version->major > 12) return std::nullopt;
  const unsigned capability = version->major * 10 + version->minor;
  if (capability < 75 || capability > 120) return std::nullopt;
  return capability;
}

std::optional<unsigned> read_threads(std::string_view text) {
  const auto count = number<unsigned>(text);
  if (!count || *count > 1024) return std::nullopt;
  return count;
}

std::optional<bool> read_switch(std::string_view text) {
  if (text == "1" || text == "true" || text == "on" || text == "yes") return true;
  if (text == "0" || text == "false" || text == "off" || text == "no") return false;
  return std::nullopt;
}

std::optional<double> read_seconds(std::string_view text) {
  const auto seconds = number<double>(text);
  if (!seconds || !std::isfinite(*seconds) || *seconds < 0) return std::nullopt;
  return seconds;
}

std::optional<std::uint64_t> read_bytes(std::string_view text) {
  unsigned shift = 0;
  if (!text.empty()) {
    switch (text.back()) {
      case 'K':
      case 'k': shift = 10; break;
      case 'M':
      case 'm': shift = 20; break;
      case 'G':
      case 'g': shift = 30; break;
      case 'T':
      case 't': shift = 40; break;
      default: break;
    }
    if (shift != 0) text.remove_suffix(1);
  }
  const auto count = number<std::uint64_t>(text);
  if (!count || *count > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
  return *count << shift;
}

// CUDA writes 12.4 as 12040.
std::optional<int> read_driver_version(std::string_view text) {
  std::optional<unsigned> version = number<unsigned>(text);
  if (const auto parts = dotted(text); parts && parts->major < 100) version = parts->major * 1000 + parts->minor * 10;
  if (!version || *version < 1000 || *version > 99990) return std::nullopt;
  return static_cast<int>(*version);
}

std::optional<std::string> read_text(std::string_view text) { return std::string(text); }

class Reader {
 public:
  Reader(const Environment& environment, const Complaint& complain) : environment_(environment), complain_(complain) {}

  template <class T, class Read>
  void read(const char* name, T& option, Read reader, const char* wanted) const {
    const std::string variable = std::string("CUDA_BINDINGS_EMULATOR_") + name;
    const char* const text = environment_(variable.c_str());
    if (text == nullptr || *text == '\0') return;
    if (const auto value = reader(std::string_view(text))) {
      option = *value;
    } else {
      complain_(variable + "=" + text + " is ignored: expected " + wanted);
    }
  }

 private:
  const Environment& environment_;
  const Complaint& complain_;
};

}  // namespace

Options read_options(const Environment& environment, const Complaint& complain) {
  Options options;
  const Reader reader(environment, complain);
  reader.read("CC", options.compute_capability, read_capability, "a compute capability from 7.5 to 12.0");
  reader.read("THREADS", options.threads, read_threads, "a number of threads from 0 to 1024");
  reader.read("STRICT", options.strict, read_switch, "1 or 0");
  reader.read("TIMEOUT", options.timeout_seconds, read_seconds, "seconds");
  reader.read("MEMORY", options.memory_bytes, read_bytes, "bytes such as 512M or 2G");
  reader.read("DRIVER_VERSION", options.driver_version, read_driver_version, "a version such as 12.4 or 12040");
  reader.read("TRACE", options.trace, read_text, "");
  reader.read("COVERAGE", options.coverage, read_text, "");
  return options;
}

const Options& options() {
  static const Options read = read_options([](const char* name) { return std::getenv(name); },
                                           [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); });
  return read;
}

}  // namespace emulator
