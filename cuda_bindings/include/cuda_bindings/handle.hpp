// SPDX-License-Identifier: Apache-2.0
// Typed handles: one class per handle type of the C API, as large as the C handle, none of which converts into another.
#ifndef CUDA_BINDINGS_HANDLE_HPP
#define CUDA_BINDINGS_HANDLE_HPP

#include <compare>
#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>

namespace cuda_bindings {

/// Whether the headers let a handle of one class be cast to another: cudaStream_t and CUstream, CUkernel to CUfunction.
template <class To, class From>
inline constexpr bool castable = false;

/// What every handle class is made of; `Raw` is the handle as C has it.
template <class Self, class RawType>
class Handle {
 public:
  using Raw = RawType;

  /// The null handle, or number zero.
  constexpr Handle() noexcept = default;
  /// nullptr is the null handle of every class.
  constexpr Handle(std::nullptr_t) noexcept
    requires std::is_pointer_v<Raw>
  {}
  /// Takes the C handle, never silently.
  template <class Value>
    requires std::same_as<Value, Raw> || (std::integral<Value> && std::integral<Raw> && !std::same_as<Value, bool>)
  constexpr explicit Handle(Value raw) noexcept : raw_(static_cast<Raw>(raw)) {}
  /// A cast that the headers allow, never silently.
  template <class Other>
    requires castable<Self, Other>
  constexpr explicit Handle(Other other) noexcept : raw_(cast(other.raw())) {}

  /// The C handle.
  constexpr Raw raw() const noexcept { return raw_; }
  constexpr explicit operator Raw() const noexcept { return raw_; }
  /// Whether it is not null, or not zero.
  constexpr explicit operator bool() const noexcept { return raw_ != Raw{}; }

  friend constexpr bool operator==(Self left, Self right) noexcept { return left.raw() == right.raw(); }
  friend constexpr std::strong_ordering operator<=>(Self left, Self right) noexcept {
    return std::compare_three_way{}(left.raw(), right.raw());
  }

 private:
  template <class OtherRaw>
  static constexpr Raw cast(OtherRaw other) noexcept {
    if constexpr (std::is_convertible_v<OtherRaw, Raw>) {
      return other;
    } else {
      return reinterpret_cast<Raw>(other);  // two names of one object of the driver's
    }
  }

  Raw raw_{};
};

/// A handle class of this header.
template <class Type>
concept IsHandle = requires { typename Type::Raw; } && std::derived_from<Type, Handle<Type, typename Type::Raw>>;

/// A device address: it is ordered, moves by bytes, and the difference of two is a number of bytes.
template <class Self>
class Address : public Handle<Self, unsigned long long> {
 public:
  using Handle<Self, unsigned long long>::Handle;

  friend constexpr Self operator+(Self address, unsigned long long bytes) noexcept {
    return Self(address.raw() + bytes);
  }
  friend constexpr Self operator+(unsigned long long bytes, Self address) noexcept { return address + bytes; }
  friend constexpr Self operator-(Self address, unsigned long long bytes) noexcept {
    return Self(address.raw() - bytes);
  }
  friend constexpr std::ptrdiff_t operator-(Self left, Self right) noexcept {
    return static_cast<std::ptrdiff_t>(left.raw() - right.raw());
  }
  friend constexpr Self& operator+=(Self& address, unsigned long long bytes) noexcept {
    return address = address + bytes;
  }
  friend constexpr Self& operator-=(Self& address, unsigned long long bytes) noexcept {
    return address = address - bytes;
  }
};

}  // namespace cuda_bindings

template <cuda_bindings::IsHandle Type>
struct std::hash<Type> {
  std::size_t operator()(Type handle) const noexcept { return std::hash<typename Type::Raw>{}(handle.raw()); }
};

#endif
