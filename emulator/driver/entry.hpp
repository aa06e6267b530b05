// SPDX-License-Identifier: Apache-2.0
// What surrounds the body of every exported function: no exception leaves it, and the process must be ready for it.
#pragma once

#include <memory>
#include <new>
#include <type_traits>

#include "common/types.hpp"
#include "generated/driver_functions.hpp"

namespace emulator {

class Context;

/// Ends a call with a code; entry points turn it into their result.
struct Failure {
  CUresult code;
};

/// Ends the call with `code` unless the condition holds.
inline void require(bool condition, CUresult code = CUDA_ERROR_INVALID_VALUE) {
  if (!condition) throw Failure{code};
}

/// An output parameter that must not be null.
template <class T>
T& output(T* pointer) {
  require(pointer != nullptr);
  return *pointer;
}

/// Runs the body; what it throws becomes a code. The body returns nothing or a CUresult.
template <class Body>
CUresult guarded(Body&& body) noexcept {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
      body();
      return CUDA_SUCCESS;
    } else {
      return body();
    }
  } catch (const Failure& failure) {
    return failure.code;
  } catch (const LoadError& error) {
    return static_cast<CUresult>(error.code());
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return CUDA_ERROR_UNKNOWN;
  }
}

/// Where the process stands with the emulated device.
enum class ProcessState { fresh, ready, ending, forked };
ProcessState process_state();

/// cuInit's work: the device, the exit handler, the fork handler. Idempotent.
void initialise_process();

/// NOT_INITIALIZED before cuInit and in a forked child, DEINITIALIZED once the process ends.
void require_initialised();

/// The calling thread's context: INVALID_CONTEXT without one, CONTEXT_IS_DESTROYED, or the error that sticks to it.
std::shared_ptr<Context> require_context();

/// An entry point that needs cuInit.
template <class Body>
CUresult device_call(Body&& body) noexcept {
  return guarded([&] {
    require_initialised();
    return body();
  });
}

/// An entry point that needs a current context; the body gets it.
template <class Body>
CUresult context_call(Body&& body) noexcept {
  return guarded([&] {
    require_initialised();
    const std::shared_ptr<Context> context = require_context();
    return body(*context);
  });
}

}  // namespace emulator
