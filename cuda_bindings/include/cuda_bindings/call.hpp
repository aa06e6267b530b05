// SPDX-License-Identifier: Apache-2.0
// How the inline functions call: through the library's slots, which find libcuda, libcudart or NVRTC on first use.
#ifndef CUDA_BINDINGS_CALL_HPP
#define CUDA_BINDINGS_CALL_HPP

#include <atomic>
#include <string>

#include "cuda_bindings/handle.hpp"
#include "cuda_bindings/slots.hpp"

namespace cuda_bindings::detail {

// A slot holds the address of its C function, or of the code that finds it.
using AnySlot = std::atomic<void (*)()>;

}  // namespace cuda_bindings::detail

extern "C" {
[[gnu::visibility("hidden")]] extern cuda_bindings::detail::AnySlot cuda_bindings_driver_slots[];
[[gnu::visibility("hidden")]] extern cuda_bindings::detail::AnySlot cuda_bindings_runtime_slots[];
[[gnu::visibility("hidden")]] extern cuda_bindings::detail::AnySlot cuda_bindings_nvrtc_slots[];
}

namespace cuda_bindings {

// CUDA_API_PER_THREAD_DEFAULT_STREAM selects what functions mean by the default stream, as it does in cuda.h. The two
// meanings are functions of different inline namespaces, so that units of both kinds may be linked together.
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
inline namespace per_thread_default_stream {
inline constexpr bool default_stream_is_per_thread = true;
}
#define CUDA_BINDINGS_DEFAULT_STREAM per_thread_default_stream
#else
inline namespace legacy_default_stream {
inline constexpr bool default_stream_is_per_thread = false;
}
#define CUDA_BINDINGS_DEFAULT_STREAM legacy_default_stream
#endif

/// Whether the slot's function was found; false before its first call.
bool slot_found(DriverSlot slot) noexcept;
bool slot_found(RuntimeSlot slot) noexcept;
bool slot_found(NvrtcSlot slot) noexcept;
/// Why a function answers that it is not there: the places where its library was looked for, or what the library
/// lacks. Empty where it was found or not yet called. The name is the function's, with or without _vN.
std::string why_missing(const char* function);

namespace detail {

// A parameter as it crosses into C: handles as their C handle, everything else as it is.
template <class Type>
struct Crossing {
  using C = Type;
  static constexpr C pass(Type value) noexcept { return value; }
};
template <IsHandle Type>
struct Crossing<Type> {
  using C = typename Type::Raw;
  static constexpr C pass(Type handle) noexcept { return handle.raw(); }
};
template <IsHandle Type>
struct Crossing<Type*> {
  static_assert(sizeof(Type) == sizeof(typename Type::Raw) && std::is_standard_layout_v<Type>);
  using C = typename Type::Raw*;
  static C pass(Type* handle) noexcept { return reinterpret_cast<C>(handle); }
};
template <IsHandle Type>
struct Crossing<const Type*> {
  using C = const typename Type::Raw*;
  static C pass(const Type* handle) noexcept { return reinterpret_cast<C>(handle); }
};
template <IsHandle Type>
struct Crossing<const Type**> {
  using C = const typename Type::Raw**;
  static C pass(const Type** handles) noexcept { return reinterpret_cast<C>(handles); }
};

template <class Signature>
struct Function;
template <class Result, class... Parameters>
struct Function<Result(Parameters...)> {
  static Result call(const AnySlot& slot, Parameters... parameters) {
    using Pointer = Result (*)(typename Crossing<Parameters>::C...);
    return reinterpret_cast<Pointer>(slot.load(std::memory_order_acquire))(Crossing<Parameters>::pass(parameters)...);
  }
};

// The C function of a slot, called with its C signature.
template <DriverSlot slot, class Signature, class... Arguments>
inline auto call(Arguments... arguments) {
  return Function<Signature>::call(cuda_bindings_driver_slots[slot], arguments...);
}
template <RuntimeSlot slot, class Signature, class... Arguments>
inline auto call(Arguments... arguments) {
  return Function<Signature>::call(cuda_bindings_runtime_slots[slot], arguments...);
}
template <NvrtcSlot slot, class Signature, class... Arguments>
inline auto call(Arguments... arguments) {
  return Function<Signature>::call(cuda_bindings_nvrtc_slots[slot], arguments...);
}

}  // namespace detail
}  // namespace cuda_bindings

#endif
