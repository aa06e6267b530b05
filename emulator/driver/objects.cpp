// SPDX-License-Identifier: Apache-2.0
// The tables of live handles.
#include "driver/objects.hpp"

namespace emulator {
namespace {

template <class Table>
Table& never_destroyed() {
  static auto* const table = new Table;
  return *table;
}

}  // namespace

HandleTable<CUcontext, Context>& contexts() { return never_destroyed<HandleTable<CUcontext, Context>>(); }
HandleTable<CUstream, Stream>& streams() { return never_destroyed<HandleTable<CUstream, Stream>>(); }
HandleTable<CUevent, Event>& events() { return never_destroyed<HandleTable<CUevent, Event>>(); }
HandleTable<CUmodule, LoadedModule>& modules() { return never_destroyed<HandleTable<CUmodule, LoadedModule>>(); }
HandleTable<CUfunction, FunctionObject>& functions() {
  return never_destroyed<HandleTable<CUfunction, FunctionObject>>();
}
HandleTable<CUlibrary, LibraryObject>& libraries() { return never_destroyed<HandleTable<CUlibrary, LibraryObject>>(); }
HandleTable<CUkernel, KernelObject>& kernels() { return never_destroyed<HandleTable<CUkernel, KernelObject>>(); }
HandleTable<CUlinkState, LinkObject>& links() { return never_destroyed<HandleTable<CUlinkState, LinkObject>>(); }
HandleTable<CUmemoryPool, PoolObject>& pools() { return never_destroyed<HandleTable<CUmemoryPool, PoolObject>>(); }

}  // namespace emulator
