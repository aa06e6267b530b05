// SPDX-License-Identifier: Apache-2.0
// Traces and coverage: one line an op on stderr, and a file of the PTX spellings that ran.
#include "machine/observe.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>

#include "common/options.hpp"
#include "machine/scheduler.hpp"

namespace emulator {
namespace {

/// Spellings that this process has already written, and the right to write.
struct CoverageLog {
  std::mutex mutex;
  std::set<std::string> written;
};

CoverageLog& coverage_log() {
  static auto* log = new CoverageLog;
  return *log;
}

bool trace_wanted(const Kernel& kernel) {
  const std::string& name = options().trace;
  return !name.empty() && (name == "*" || name == kernel.name);
}

unsigned bits_of_type(std::string_view type) {
  if (type == "pred") return 1;
  if (type.size() < 2 || std::string_view("bsuf").find(type[0]) == std::string_view::npos) return 0;
  if (type == "f16x2") return 32;
  if (type.substr(1) == "64") return 64;
  return type[1] >= '0' && type[1] <= '9' ? 32 : 0;
}

std::uint64_t read_destination(const std::byte* frame, const Op& op, unsigned bits) {
  std::uint64_t value = 0;
  std::memcpy(&value, frame + op.operand[0], bits == 64 ? 8 : 4);
  return value;
}

const std::string& spelling_of(const Function& function, const DecodedModule* module, std::uint32_t pc) {
  static const std::string unknown = "?";
  if (module == nullptr || pc >= function.sources.size()) return unknown;
  const std::uint32_t spelling = function.sources[pc].spelling;
  return spelling < module->spellings.size() ? module->spellings[spelling] : unknown;
}

}  // namespace

unsigned destination_bits(const std::string& spelling) {
  const std::string_view text = spelling;
  const std::string_view base = text.substr(0, text.find('.'));
  for (const std::string_view without : {"st", "bra", "brx", "ret", "exit", "bar", "barrier", "red", "membar", "fence",
                                         "call", "trap", "nanosleep", "prefetch"}) {
    if (base == without) return 0;
  }
  if (base == "setp" || base == "testp" || base == "isspacep") return 1;
  std::size_t begin = base.size();
  unsigned bits = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('.', begin + 1), text.size());
    const unsigned found = bits_of_type(text.substr(begin + 1, end - begin - 1));
    // Where two types are given, the destination's is the first.
    if (found != 0 && bits == 0) bits = found;
    begin = end;
  }
  return text.find(".wide.") != std::string_view::npos && text.find("16") == std::string_view::npos ? 64 : bits;
}

Observer::Observer(const Kernel& kernel)
    : kernel_(&kernel), trace_(trace_wanted(kernel)), coverage_(!options().coverage.empty()) {
  if (coverage_ && kernel.module != nullptr) executed_.resize(kernel.module->spellings.size());
}

bool Observer::wanted(const Kernel& kernel) { return !options().coverage.empty() || trace_wanted(kernel); }

bool Observer::traces(const Warp& warp) const {
  const Dim3& block = warp.block->index;
  return trace_ && warp.index == 0 && block.x == 0 && block.y == 0 && block.z == 0;
}

void Observer::before(const Warp& warp, const Op& op, LaneMask) {
  const std::uint32_t pc = warp.pc - 1;
  if (coverage_ && pc < warp.function->sources.size()) {
    const std::uint32_t spelling = warp.function->sources[pc].spelling;
    if (spelling < executed_.size()) executed_[spelling] = true;
  }
  if (!traces(warp)) return;
  old_value_ = read_destination(warp.frame, op, destination_bits(spelling_of(*warp.function, kernel_->module, pc)));
}

void Observer::after(const Warp& warp, const Op& op, LaneMask mask, const Function& function, const std::byte* frame,
                     std::uint32_t pc) {
  if (!traces(warp)) return;
  const std::string& spelling = spelling_of(function, kernel_->module, pc);
  const std::uint32_t line = pc < function.sources.size() ? function.sources[pc].line : 0;
  const Dim3& block = warp.block->index;
  char value[40] = "";
  const unsigned bits = destination_bits(spelling);
  const std::uint64_t now = bits != 0 ? read_destination(frame, op, bits) : 0;
  if (bits != 0 && now != old_value_) {
    // A predicate shows all lanes.
    std::snprintf(value, sizeof value, bits == 1 ? " lanes=0x%08" PRIx64 : " lane0=0x%" PRIx64, now);
  }
  std::fprintf(stderr, "%s (%u,%u,%u) %u %u %u %s 0x%08x%s\n", kernel_->name.c_str(), block.x, block.y, block.z,
               warp.index, pc, line, spelling.c_str(), mask, value);
}

void Observer::finish() const {
  if (!coverage_ || kernel_->module == nullptr) return;
  CoverageLog& log = coverage_log();
  const std::lock_guard lock(log.mutex);
  std::string text;
  for (std::size_t index = 0; index < executed_.size(); ++index) {
    const std::string& spelling = kernel_->module->spellings[index];
    if (executed_[index] && log.written.insert(spelling).second) text += spelling + "\n";
  }
  if (text.empty()) return;
  std::FILE* file = std::fopen(options().coverage.c_str(), "a");
  if (file == nullptr) return;
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
}

}  // namespace emulator
