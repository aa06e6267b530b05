// SPDX-License-Identifier: Apache-2.0
// The tables of live handles. None is ever destroyed: calls may come while the process ends.
#pragma once

#include "driver/entry.hpp"
#include "driver/handle_table.hpp"

namespace emulator {

struct Stream;
struct Event;
class LoadedModule;
class FunctionObject;
class LibraryObject;
class KernelObject;
class LinkObject;
class PoolObject;

HandleTable<CUcontext, Context>& contexts();
HandleTable<CUstream, Stream>& streams();
HandleTable<CUevent, Event>& events();
HandleTable<CUmodule, LoadedModule>& modules();
HandleTable<CUfunction, FunctionObject>& functions();
HandleTable<CUlibrary, LibraryObject>& libraries();
HandleTable<CUkernel, KernelObject>& kernels();
HandleTable<CUlinkState, LinkObject>& links();
HandleTable<CUmemoryPool, PoolObject>& pools();

}  // namespace emulator
