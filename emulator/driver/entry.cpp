// SPDX-License-Identifier: Apache-2.0
// No exception leaves an exported function.
#include "driver/entry.hpp"

#include <new>

#include "driver/context.hpp"

namespace emulator {
namespace {

CUresult guarded_run(const AnyBody& body, bool initialised, bool with_context) noexcept {
  try {
    if (initialised) require_initialised();
    if (!with_context) return body.run(body.body, nullptr);
    const std::shared_ptr<Context> context = require_context();
    return body.run(body.body, context.get());
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

}  // namespace

CUresult run_guarded(const AnyBody& body) noexcept { return guarded_run(body, false, false); }
CUresult run_for_device(const AnyBody& body) noexcept { return guarded_run(body, true, false); }
CUresult run_for_context(const AnyBody& body) noexcept { return guarded_run(body, true, true); }

}  // namespace emulator
