// SPDX-License-Identifier: Apache-2.0
// Slot tables: one function pointer per link name, which starts at a resolver's stub and is patched on first call.
#pragma once

#include <atomic>
#include <cstddef>
#include <type_traits>

#include "native/tables.hpp"

namespace cuda_bindings {

// What is known about a slot. Everything above `resolved` is a reason why it has no function.
enum SlotState : unsigned char {
  SLOT_UNRESOLVED = 0,
  SLOT_RESOLVED = 1,
  SLOT_NO_LIBRARY = 2,       // asked again at the next call: the library may have been installed or loaded since
  SLOT_NO_FUNCTION = 3,      // the library does not export the link name
  SLOT_OLDER_INTERFACE = 4,  // it does, but with an older prototype under the same name (SlotRow::abi_since)
  SLOT_BAD_SETTING = 5,      // the default-stream variable is not an integer
};

// One row per slot: what to look up, and what to say when it is not there. Releases as 1000 * major + 10 * minor.
struct SlotRow {
  const char* name;  // the Python name that errors speak of
  const char* link;
  const char* ptds;  // link name for per-thread default streams, or null
  int since;         // release that introduced the link name; 0: not known
  int abi_since;     // release that last changed its prototype in place; 0: never
};

// The function of a slot, or null (slot_state says why). Safe from any thread; knows of Python only what GilHooks says.
void* resolve_slot(Library library, int slot) noexcept;

// Opening a library may wait for a lock or for the disk. `release` gives up the GIL if this thread holds it and returns
// what `restore` needs (null: it was not held), so that functions which keep the GIL around a call resolve without it too.
struct GilHooks {
  void* (*release)();
  void (*restore)(void*);
};
void set_gil_hooks(const GilHooks& hooks) noexcept;

// By library: CUDA_ERROR_NOT_FOUND, cudaErrorCallRequiresNewerDriver, NVRTC_ERROR_INTERNAL_ERROR (the generated tables
// hold these numbers against the names).
inline constexpr int missing_codes[] = {500, 36, 11};

// What a function answers that is not there: the library's own code, NULL or a zeroed struct.
template <Library library, class Result>
Result missing_result() noexcept {
  if constexpr (std::is_enum_v<Result>) {
    return static_cast<Result>(missing_codes[library]);
  } else if constexpr (!std::is_void_v<Result>) {
    return Result{};
  }
}

template <Library library, int slot, class Result, class... Arguments>
Result resolver_stub(Arguments... arguments) {
  // resolve_slot has patched the slot: the next call comes here only if there is no function.
  void* const found = resolve_slot(library, slot);
  if (found == nullptr) return missing_result<library, Result>();
  return reinterpret_cast<Result (*)(Arguments...)>(found)(arguments...);
}

template <Library library, int slot, class Signature>
class Slot;

// Callable like the C function it stands for.
template <Library library, int slot, class Result, class... Arguments>
class Slot<library, slot, Result(Arguments...)> {
 public:
  using Function = Result (*)(Arguments...);
  constexpr Slot() noexcept : function_(&resolver_stub<library, slot, Result, Arguments...>) {}
  Result operator()(Arguments... arguments) const { return function_.load(std::memory_order_acquire)(arguments...); }
  Function get() const noexcept { return function_.load(std::memory_order_acquire); }

 private:
  std::atomic<Function> function_;
};

// The generated tables hold nothing but slots, in the order of their SLOT_ numbers; the resolver writes them by number.
template <class Table>
constexpr bool is_slot_table(std::size_t slots) {
  return std::is_standard_layout_v<Table> && sizeof(Table) == slots * sizeof(void*);
}

struct DriverTable;
struct RuntimeTable;
struct NvrtcTable;

// One set per extension module (hidden, or the dynamic linker would merge them), set when it imports cuda_bindings._native.
[[gnu::visibility("hidden")]] inline const DriverTable* driver_table = nullptr;
[[gnu::visibility("hidden")]] inline const RuntimeTable* runtime_table = nullptr;
[[gnu::visibility("hidden")]] inline const NvrtcTable* nvrtc_table = nullptr;

// A library's generated table as the resolver sees it.
struct SlotTable {
  void* slots;  // the table's first slot
  const SlotRow* rows;
  std::atomic<unsigned char>* states;
  int size;
};
// Defined by the generated table_*.cpp (and by the C++ test, with a table of its own).
extern const SlotTable driver_slot_table;
extern const SlotTable runtime_slot_table;
extern const SlotTable nvrtc_slot_table;

const SlotTable& slot_table(Library library) noexcept;

// Why a slot has no function, or that it has one; SLOT_UNRESOLVED before the first call.
SlotState slot_state(Library library, int slot) noexcept;

}  // namespace cuda_bindings
