// SPDX-License-Identifier: Apache-2.0
// The warp, and plain stand-ins for what the machine and the decoder give to handlers.
#include "one_warp.hpp"

#include <map>
#include <stdexcept>
#include <utility>

#include "machine/groups.hpp"

namespace emulator {

namespace baseline {
void add_memory_rows(OpcodeTable& table);
void add_atomic_rows(OpcodeTable& table);
}  // namespace baseline
#if defined(__x86_64__)
namespace avx2 {
void add_memory_rows(OpcodeTable& table);
void add_atomic_rows(OpcodeTable& table);
}  // namespace avx2
#endif

namespace {
thread_local std::uint32_t spent = 0;
}  // namespace

void spend_budget(Warp&, std::uint32_t amount) { spent += amount; }

Outcome raise_fault(Warp& warp, FaultKind kind, LaneMask lanes) {
  *warp.fault = Fault{};
  warp.fault->kind = kind;
  warp.fault->thread.x = warp.thread_x[static_cast<unsigned>(__builtin_ctz(lanes))];
  return Outcome::fault;
}

Outcome raise_access_fault(Warp& warp, FaultKind kind, LaneMask lanes, std::uint64_t address, std::uint32_t size,
                           bool is_write) {
  raise_fault(warp, kind, lanes);
  warp.fault->address = address;
  warp.fault->size = size;
  warp.fault->is_write = is_write;
  if (kind == FaultKind::illegal_address) warp.fault->note = warp.block->grid->memory->describe(address);
  return Outcome::fault;
}

void OpcodeTable::add(std::string spelling, std::string signature, Handler handler) {
  const std::string key = spelling;
  const bool is_new = rows_.emplace(key, OpcodeRow{std::move(spelling), std::move(signature), handler}).second;
  if (!is_new) duplicates_.push_back(key);
}

const OpcodeRow* OpcodeTable::find(std::string_view spelling) const {
  const auto found = rows_.find(std::string(spelling));
  return found == rows_.end() ? nullptr : &found->second;
}

namespace test {

std::vector<std::string> variants() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return {"baseline", "avx2"};
#endif
  return {"baseline"};
}

const OpcodeTable& rows_of(const std::string& variant) {
  static const std::map<std::string, OpcodeTable> tables = [] {
    std::map<std::string, OpcodeTable> made;
    baseline::add_memory_rows(made["baseline"]);
    baseline::add_atomic_rows(made["baseline"]);
#if defined(__x86_64__)
    avx2::add_memory_rows(made["avx2"]);
    avx2::add_atomic_rows(made["avx2"]);
#endif
    return made;
  }();
  return tables.at(variant);
}

std::uint32_t budget_spent() { return std::exchange(spent, 0); }

OneWarp::OneWarp(const std::string& variant)
    : memory(std::uint64_t{64} << 20),
      rows_(rows_of(variant)),
      frame_(64 + 32 * 256 + 64),
      shared_(shared_bytes + 256),
      local_(std::size_t{64} * local_stride + 64),
      parameters_(256) {
  const auto aligned = [](std::vector<std::byte>& bytes, std::uintptr_t alignment) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    return bytes.data() + ((address + alignment - 1) / alignment * alignment - address);
  };
  for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i] = static_cast<std::byte>(3 * i + 1);
  kernel.parameter_bytes = 256;
  grid.kernel = &kernel;
  grid.memory = &memory;
  grid.parameters = parameters_.data();
  block.grid = &grid;
  block.threads = 64;
  block.shared = aligned(shared_, 256);
  block.shared_bytes = shared_bytes;
  block.dynamic_shared = 1024;
  block.local = aligned(local_, 64);
  block.local_stride = local_stride;
  block.local_bytes = local_bytes;
  warp.frame = aligned(frame_, 64);
  warp.active = every_lane;
  warp.function = &function;
  warp.block = &block;
  warp.index = 1;
  warp.fault = &fault;
  for (unsigned lane = 0; lane < warp_size; ++lane) warp.thread_x[lane] = 32 + lane;
  *reinterpret_cast<LaneMask*>(warp.frame) = every_lane;
}

void OneWarp::set(unsigned index, unsigned bits, unsigned lane, std::uint64_t value) {
  if (bits == 64) {
    wide(index)[lane] = value;
  } else {
    narrow(index)[lane] = static_cast<std::uint32_t>(value);
  }
}

void OneWarp::strict() {
  grid.strict = true;
  shared_written.assign(shared_bytes, std::byte{0});
  block.shared_written = shared_written.data();
}

Outcome OneWarp::run(std::string_view spelling, const std::vector<unsigned>& registers, LaneMask mask,
                     std::uint64_t immediate, std::uint32_t aux) {
  const OpcodeRow* row = rows_.find(spelling);
  if (row == nullptr) throw std::invalid_argument("no row " + std::string(spelling));
  Op op;
  op.handler = row->handler;
  op.immediate = immediate;
  op.aux = aux;
  for (std::size_t i = 0; i < registers.size(); ++i) op.operand[i] = place(registers[i]);
  return op.handler(warp, op, mask);
}

}  // namespace test
}  // namespace emulator
