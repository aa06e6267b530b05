// SPDX-License-Identifier: Apache-2.0
// Which addresses a kernel may touch: every allocation of the device, and host memory that was made known to it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

namespace emulator {

/// Who made an allocation.
enum class AllocationKind : std::uint8_t {
  device,      ///< cuMemAlloc and its family
  pool,        ///< cuMemAllocAsync
  variable,    ///< .global variable of a module
  constant,    ///< .const variable of a module; kernels' stores fault
  heap,        ///< device-side malloc; copies by the host are refused
  workspace,   ///< grid sync
  managed,     ///< cuMemAllocManaged
  pinned,      ///< cuMemHostAlloc
  registered,  ///< cuMemHostRegister
};

/// A range of addresses that kernels may use.
struct Allocation {
  std::uint64_t begin = 0;    ///< device address
  std::uint64_t size = 0;     ///< bytes as asked for: the bound that is checked
  std::byte* host = nullptr;  ///< where the emulator itself reads and writes byte 0
  AllocationKind kind = AllocationKind::device;
  std::uint64_t id = 0;        ///< CU_POINTER_ATTRIBUTE_BUFFER_ID
  std::uint64_t reserved = 0;  ///< bytes of the device range in use by it (size rounded up); 0 for host memory
  std::uint64_t tag = 0;       ///< the driver layer's: owning context or stream
  unsigned flags = 0;          ///< the driver layer's: flags of the allocating call

  [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return address - begin <= size && bytes <= size - (address - begin);
  }
};

/// The last allocation an accessor met; valid as long as that allocation lives. Allocations that running kernels may
/// use are only released after the device was idle (see AddressSpace::release), so that no lock is taken on a hit.
struct AddressCache {
  std::uint64_t begin = 1;
  std::uint64_t size = 0;  ///< begin 1 with size 0 never hits
  std::byte* host = nullptr;
  bool writable = false;
};

/// Fixed generic windows: a generic address inside is shared or local memory of the running thread.
inline constexpr std::uint64_t window_bytes = std::uint64_t{1}
                                              << 24;  ///< shared memory's and local memory's windows, each

/// The address space of the device. Thread-safe.
class AddressSpace {
 public:
  /// Reserves the device range: public addresses that host code cannot dereference, and a private alias that the
  /// emulator uses.
  explicit AddressSpace(std::uint64_t device_bytes);
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  /// Takes `size` bytes (zero: none) of device memory, aligned to `alignment` (256 at least). Contents are zero only
  /// if never used before.
  std::optional<Allocation> allocate(std::uint64_t size, AllocationKind kind, std::uint64_t alignment = 256);
  /// Makes host memory known at its own address. False where it overlaps a known range.
  bool add_host(void* memory, std::uint64_t size, AllocationKind kind, unsigned flags);
  /// Forgets the allocation that begins at `begin` and gives its device memory back. False where there is none.
  /// The caller has waited for the kernels that may use it.
  bool release(std::uint64_t begin);
  /// The allocation holding an address.
  [[nodiscard]] std::optional<Allocation> find(std::uint64_t address) const;
  /// Fills the cache with the allocation holding `address`; false where none does.
  bool find(std::uint64_t address, AddressCache& cache) const;
  /// Sets tag and flags of the allocation at `begin`.
  void label(std::uint64_t begin, std::uint64_t tag, unsigned flags);
  /// One line on what lies around an address: "12 bytes behind the 4000 bytes at 0x... (device memory)", "freed
  /// earlier: ...", "near nothing".
  [[nodiscard]] std::string describe(std::uint64_t address) const;

  [[nodiscard]] std::uint64_t total_bytes() const;
  [[nodiscard]] std::uint64_t free_bytes() const;
  /// Whether the address lies in the device range (allocated or not).
  [[nodiscard]] bool in_device_range(std::uint64_t address) const;

  /// Generic address of shared memory's offset 0, and of local memory's.
  [[nodiscard]] std::uint64_t shared_window() const;
  [[nodiscard]] std::uint64_t local_window() const;
  /// Addresses of functions: code_window() + 16 * index; never dereferenced.
  [[nodiscard]] std::uint64_t code_window() const;

 private:
  struct State;
  State* state_;
};

}  // namespace emulator
