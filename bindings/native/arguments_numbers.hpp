// SPDX-License-Identifier: Apache-2.0
// Numbers of any Python type, read without loss.
#pragma once

#include "native/arguments_api.hpp"

namespace cuda_bindings {

// Numbers as the engine reads them (integer.hpp), and objects that have __int__ alone: handles of other packages.
int signed_argument(PyObject* object, long long lowest, long long highest, long long* value, Place place);
int unsigned_argument(PyObject* object, unsigned long long highest, unsigned long long* value, Place place);
// largest: the largest finite value of the C type.
int real_argument(PyObject* object, double largest, double* value, Place place);
int read_extra(PyObject* object, void*** value, Place place);

// Bytes of a NUMBER_*; 0 for an unknown one.
size_t number_size(int number);
// Reads the object as a NUMBER_* and stores it at `target`.
int store_number(PyObject* object, int number, void* target, Place place);
PyObject* number_list_from(int number, const void* values, size_t count);

}  // namespace cuda_bindings
