// SPDX-License-Identifier: Apache-2.0
// What surrounds the body of every exported function: no exception leaves it, and the process must be ready for it.
#pragma once

#include <memory>
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

/// A body of any type behind one pointer: what surrounds it is compiled once, not once a function.
struct AnyBody {
  void* body;
  CUresult (*run)(void* body, Context* context);
};

/// Runs the body; what it throws becomes a code.
CUresult run_guarded(const AnyBody& body) noexcept;
/// The same once the process is initialised.
CUresult run_for_device(const AnyBody& body) noexcept;
/// The same with the thread's context.
CUresult run_for_context(const AnyBody& body) noexcept;

/// The body as a CUresult (or nothing, for success) of a context (or of nothing).
template <class Body>
AnyBody any_body(Body& body) {
  return {const_cast<void*>(static_cast<const void*>(&body)), [](void* erased, [[maybe_unused]] Context* context) {
            Body& own = *static_cast<Body*>(erased);
            if constexpr (std::is_invocable_v<Body&, Context&>) {
              if constexpr (std::is_void_v<std::invoke_result_t<Body&, Context&>>) {
                own(*context);
                return CUDA_SUCCESS;
              } else {
                return static_cast<CUresult>(own(*context));
              }
            } else if constexpr (std::is_void_v<std::invoke_result_t<Body&>>) {
              own();
              return CUDA_SUCCESS;
            } else {
              return static_cast<CUresult>(own());
            }
          }};
}

/// Runs a body that needs nothing.
template <class Body>
CUresult guarded(Body&& body) noexcept {
  return run_guarded(any_body(body));
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
  return run_for_device(any_body(body));
}

/// An entry point that needs a current context; the body gets it.
template <class Body>
CUresult context_call(Body&& body) noexcept {
  return run_for_context(any_body(body));
}

}  // namespace emulator
