// SPDX-License-Identifier: Apache-2.0
// Resolves slots one by one: plain export first, cuGetProcAddress with the link name's own version where there is none.
#include "native/slots.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "native/loader.hpp"

namespace cuda_bindings {
namespace {

// A slot's memory holds a function pointer; the resolver knows only its number, not its type.
using AnyFunction [[gnu::may_alias]] = void*;

AnyFunction* slot_address(const SlotTable& table, int slot) { return static_cast<AnyFunction*>(table.slots) + slot; }

// The states that can still change are unresolved and no-library; a slower thread must not take back what another found.
void set_state(const SlotTable& table, int slot, SlotState state) {
  std::atomic<unsigned char>& place = table.states[slot];
  unsigned char seen = place.load(std::memory_order_acquire);
  while (seen == SLOT_UNRESOLVED || seen == SLOT_NO_LIBRARY) {
    if (place.compare_exchange_weak(seen, state, std::memory_order_acq_rel)) return;
  }
}

// cuMemAlloc_v2 -> cuMemAlloc: cuGetProcAddress takes the base name and the version that means this ABI.
std::string base_name(const char* link) {
  std::string name = link;
  const std::size_t end = name.find_last_not_of("0123456789");
  if (end != std::string::npos && end + 1 < name.size() && end >= 2 && name.compare(end - 1, 2, "_v") == 0) {
    name.resize(end - 1);
  }
  return name;
}

// Only for a driver that knows the interface (an older one would answer with an older ABI of the base name).
void* ask_driver(void* handle, const SlotRow& row, bool per_thread, int driver_version) {
  if (row.since == 0 || driver_version < row.since) return nullptr;
  using GetProcAddress = int (*)(const char*, void**, int, unsigned long long, int*);
  const auto ask = reinterpret_cast<GetProcAddress>(dlsym(handle, "cuGetProcAddress_v2"));
  if (ask == nullptr) return nullptr;
  constexpr unsigned long long legacy_stream = 1;
  constexpr unsigned long long per_thread_default_stream = 2;
  void* found = nullptr;
  int answer = 0;
  const int status = ask(base_name(row.link).c_str(), &found, row.since,
                         per_thread ? per_thread_default_stream : legacy_stream, &answer);
  return status == 0 ? found : nullptr;
}

// The emulated device exports every function; which of them it has is said by the release that it plays.
bool plays_without(const LoadedLibrary& driver, const SlotRow& row) {
  return row.since > driver.version && dlsym(driver.handle, "cuda_bindings_emulator_coverage") != nullptr;
}

GilHooks gil_hooks{};  // written once, at import, before any slot can be reached

class WithoutGil {
 public:
  WithoutGil() : thread_(gil_hooks.release != nullptr ? gil_hooks.release() : nullptr) {}
  ~WithoutGil() {
    if (thread_ != nullptr) gil_hooks.restore(thread_);
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  void* thread_;
};

SlotState find(Library library, const SlotRow& row, void** found) {
  const DefaultStream stream = library == LIBRARY_NVRTC ? DefaultStream::legacy : default_stream();
  if (stream == DefaultStream::not_an_integer) return SLOT_BAD_SETTING;
  const LoadedLibrary* loaded = open_library(library);
  if (loaded == nullptr) return SLOT_NO_LIBRARY;
  if (row.abi_since > loaded->version && loaded->version != 0) {
    // A release before the function's first has no interface of it, not another one.
    return dlsym(loaded->handle, row.link) != nullptr ? SLOT_OLDER_INTERFACE : SLOT_NO_FUNCTION;
  }
  if (library == LIBRARY_DRIVER && plays_without(*loaded, row)) return SLOT_NO_FUNCTION;
  const bool per_thread = stream == DefaultStream::per_thread && row.ptds != nullptr;
  *found = dlsym(loaded->handle, per_thread ? row.ptds : row.link);
  if (*found == nullptr && library == LIBRARY_DRIVER) {
    *found = ask_driver(loaded->handle, row, per_thread, loaded->version);
  }
  return *found != nullptr ? SLOT_RESOLVED : SLOT_NO_FUNCTION;
}

}  // namespace

void set_gil_hooks(const GilHooks& hooks) noexcept { gil_hooks = hooks; }

const SlotTable& slot_table(Library library) noexcept {
  switch (library) {
    case LIBRARY_RUNTIME: return runtime_slot_table;
    case LIBRARY_NVRTC: return nvrtc_slot_table;
    default: return driver_slot_table;
  }
}

SlotState slot_state(Library library, int slot) noexcept {
  return static_cast<SlotState>(slot_table(library).states[slot].load(std::memory_order_acquire));
}

void* resolve_slot(Library library, int slot) noexcept {
  const SlotTable& table = slot_table(library);
  AnyFunction* const address = slot_address(table, slot);
  const SlotState known = slot_state(library, slot);
  // Several threads may stand in one slot's stub: whoever comes later finds the pointer in place.
  if (known == SLOT_RESOLVED) return __atomic_load_n(address, __ATOMIC_ACQUIRE);
  if (known != SLOT_UNRESOLVED && known != SLOT_NO_LIBRARY) return nullptr;
  const WithoutGil without_gil;
  void* found = nullptr;
  const SlotState state = find(library, table.rows[slot], &found);
  // The pointer stands before the state says so. Two threads store the same value.
  if (found != nullptr) __atomic_store_n(address, found, __ATOMIC_RELEASE);
  set_state(table, slot, state);
  return found;
}

}  // namespace cuda_bindings
