// SPDX-License-Identifier: Apache-2.0
// What functions take besides values, handles and spans: zero-terminated text, bytes, records, kernel arguments.
#ifndef CUDA_BINDINGS_ARGUMENTS_HPP
#define CUDA_BINDINGS_ARGUMENTS_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace cuda_bindings {

/// Text that ends in a zero, as C takes it: a literal, a const char*, a std::string, or nullptr where C allows that.
/// A std::string_view need not end in one, so it takes terminated(), which looks.
class ZStringView {
 public:
  constexpr ZStringView(const char* text) noexcept : text_(text) {}
  constexpr ZStringView(std::nullptr_t) noexcept : text_(nullptr) {}
  ZStringView(const std::string& text) noexcept : text_(text.c_str()) {}

  /// A view whose last character is the terminating zero; std::invalid_argument where it is not.
  static constexpr ZStringView terminated(std::string_view text) {
    if (text.empty() || text.back() != '\0') throw std::invalid_argument("the text's last character is not a zero");
    return text.data();
  }

  /// The text as C takes it.
  constexpr const char* c_str() const noexcept { return text_; }

 private:
  const char* text_;
};

namespace detail {

// A contiguous range of bytes or of what can be copied as bytes.
template <class Range>
concept Contents = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
                   std::is_trivially_copyable_v<std::ranges::range_value_t<Range>>;

template <class Range>
concept WritableContents =
    Contents<Range> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;

}  // namespace detail

/// Memory that the library reads: a vector, array, span or string of anything trivially copyable, or {address, bytes}.
class ReadBytes {
 public:
  constexpr ReadBytes(const void* address, std::size_t size) noexcept : address_(address), size_(size) {}
  template <detail::Contents Range>
    requires(!std::same_as<std::remove_cvref_t<Range>, ReadBytes>)
  constexpr ReadBytes(Range&& range) noexcept
      : address_(std::ranges::data(range)), size_(std::ranges::size(range) * sizeof(*std::ranges::data(range))) {}

  constexpr const void* data() const noexcept { return address_; }
  /// In bytes.
  constexpr std::size_t size() const noexcept { return size_; }

 private:
  const void* address_;
  std::size_t size_;
};

/// Memory that the library writes: as ReadBytes, but what is given must not be const.
class WriteBytes {
 public:
  constexpr WriteBytes(void* address, std::size_t size) noexcept : address_(address), size_(size) {}
  template <detail::WritableContents Range>
    requires(!std::same_as<std::remove_cvref_t<Range>, WriteBytes>)
  constexpr WriteBytes(Range&& range) noexcept
      : address_(std::ranges::data(range)), size_(std::ranges::size(range) * sizeof(*std::ranges::data(range))) {}

  constexpr void* data() const noexcept { return address_; }
  /// In bytes.
  constexpr std::size_t size() const noexcept { return size_; }

 private:
  void* address_;
  std::size_t size_;
};

/// A record, its address, or nullptr. Record<const T> is only read.
template <class Type>
class Record {
 public:
  constexpr Record(Type& record) noexcept : address_(std::addressof(record)) {}
  constexpr Record(Type* address) noexcept : address_(address) {}
  constexpr Record(std::nullptr_t) noexcept : address_(nullptr) {}

  constexpr Type* get() const noexcept { return address_; }

 private:
  Type* address_;
};

/// The kernelParams of a launch: the addresses of the arguments given, which must live until the launch has returned.
///   auto arguments = kernel_arguments(a, x, y, n);
///   cuLaunchKernel(kernel, ..., stream, arguments.data(), nullptr);
template <class... Arguments>
  requires(std::is_trivially_copyable_v<Arguments> && ...)
constexpr std::array<void*, sizeof...(Arguments)> kernel_arguments(Arguments&... arguments) noexcept {
  return {const_cast<void*>(static_cast<const void*>(std::addressof(arguments)))...};
}

namespace detail {

// The common length of spans whose length C takes once; `ok` is false where they differ or the C type cannot hold it.
template <class Number>
struct Count {
  Number value;
  bool ok;
};

// `optional` spans may be empty beside others that are not.
template <class Number, class... Spans>
constexpr Count<Number> count_of(std::size_t first, const Spans&... rest) noexcept {
  const bool fits = sizeof(Number) >= sizeof(std::size_t) || first <= std::size_t{std::numeric_limits<Number>::max()};
  return {static_cast<Number>(first), fits && ((rest.size() == first) && ...)};
}

// The length of the output arrays that are wanted: empty ones are not.
template <class Number, class... Spans>
constexpr Count<Number> capacity_of(const Spans&... spans) noexcept {
  std::size_t wanted = 0;
  ((wanted = spans.size() > wanted ? spans.size() : wanted), ...);
  Count<Number> count = count_of<Number>(wanted);
  count.ok = count.ok && ((spans.empty() || spans.size() == wanted) && ...);
  return count;
}

// NULL for an empty span: C asks for it where an array is not wanted.
template <class Span>
constexpr auto data_or_null(const Span& span) noexcept {
  return span.empty() ? nullptr : span.data();
}

// Without the const that a C prototype lacks on what it only reads.
template <class Type>
constexpr Type* without_const(const Type* address) noexcept {
  return const_cast<Type*>(address);
}

}  // namespace detail
}  // namespace cuda_bindings

#endif
