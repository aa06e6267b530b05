// SPDX-License-Identifier: Apache-2.0
// From tuples to exceptions, for those who want them: check() throws a failed status and hands back the values alone.
#ifndef CUDA_BINDINGS_CHECK_HPP
#define CUDA_BINDINGS_CHECK_HPP

#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "cuda_bindings/driver.hpp"
#include "cuda_bindings/nvrtc.hpp"
#include "cuda_bindings/runtime.hpp"

namespace cuda_bindings {

/// The status's name, as its library spells it; null where the library does not know it or is not there.
inline const char* status_name(CUresult status) { return std::get<1>(cuGetErrorName(status)); }
inline const char* status_name(cudaError_t status) { return std::get<1>(cudaGetErrorName(status)); }
inline const char* status_name(nvrtcResult status) { return std::get<1>(nvrtcGetErrorString(status)); }

/// What check() throws.
class Error : public std::runtime_error {
 public:
  Error(int code, const char* name, const char* file, int line)
      : std::runtime_error((name == nullptr ? "status" : std::string(name)) + " (" + std::to_string(code) + ") at " +
                           file + ":" + std::to_string(line)),
        code_(code) {}

  /// The status as a number.
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// Throws Error where the status is not success; hands back nothing, the one value, or a tuple of the values.
///   const CUstream stream = check(cuStreamCreate(0));
template <class Status, class... Values>
auto check(std::tuple<Status, Values...> result, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  // The built-in functions stand for std::source_location, which clang has from release 16 on only.
  const Status status = std::get<0>(result);
  if (status != Status{}) throw Error(static_cast<int>(status), status_name(status), file, line);
  if constexpr (sizeof...(Values) == 1) {
    return std::get<1>(std::move(result));
  } else if constexpr (sizeof...(Values) > 1) {
    return std::apply([](Status, auto&&... values) { return std::tuple<Values...>(std::move(values)...); },
                      std::move(result));
  }
}

}  // namespace cuda_bindings

#endif
