// SPDX-License-Identifier: Apache-2.0
// What argument conversions ask of handles and records: which they are, and where their memory is.
#pragma once

#include "native/handle.hpp"
#include "native/record.hpp"

namespace cuda_bindings {

inline HandleKind handle_kind(PyObject* object) { return handle_rows[handle_object(object)->type].kind; }
inline const void* handle_slot(PyObject* object) { return handle_object(object)->slot; }

// Whether an argument of the class `type` takes the object in a list: instances only, no numbers.
inline bool handle_matches(PyObject* object, int type) {
  std::uint64_t value = 0;
  return handle_instance(object, type, &value);
}

}  // namespace cuda_bindings
