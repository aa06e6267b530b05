// SPDX-License-Identifier: Apache-2.0
// Values whose type an attribute decides: the void* of attribute getters and setters.
#pragma once

#include "native/arguments.hpp"
#include "native/attribute_rows.hpp"

namespace cuda_bindings {

int prepare_attribute_get(AttributeValue& value, int table, int attribute, size_t byte_size, Place place);
int prepare_attribute_set(AttributeValue& value, PyObject* object, int table, int attribute, Place place);
PyObject* attribute_result(AttributeValue& value);

int prepare_attributes(AttributeValues& values, PyObject* attributes, PyObject* sizes, size_t count, int table,
                       Place attributes_place, Place sizes_place);
PyObject* attributes_result(AttributeValues& values);
void release_attributes(AttributeValues& values);

}  // namespace cuda_bindings
