// SPDX-License-Identifier: Apache-2.0
// What the extension modules reach of the argument conversions in cuda_bindings._native: one block of function
// pointers.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>

namespace cuda_bindings {

class Text;
class Address;
class OutBuffer;
class HandleList;
class RecordList;
class EnumerationList;
class NumberList;
class TextList;
class AddressList;
class KernelParameters;
class Color;
class JitOptions;
class AttributeValue;
class AttributeValues;

// Which argument of which function, or member of which record: only error texts read it.
struct Place {
  const char* owner;
  const char* name;
  Py_ssize_t element = -1;  // of a list
  bool member = false;
  Place at(Py_ssize_t index) const { return {owner, name, index, member}; }
};

// What a list argument may be.
struct ListRules {
  bool nullable;   // None stands for an empty list
  bool has_count;  // another argument says how many elements the callee reads
  size_t count;
  size_t max_length;  // 0: any
};

// What the callee does with the memory behind an address.
enum Access : int { ACCESS_NONE = 0, ACCESS_READ = 1, ACCESS_WRITE = 2 };

// C number types, as they stand in plan.json.
enum Number : int {
  NUMBER_INT,
  NUMBER_UINT,
  NUMBER_SHORT,
  NUMBER_USHORT,
  NUMBER_CHAR,
  NUMBER_UCHAR,
  NUMBER_SIZE,
  NUMBER_LONG,
  NUMBER_LONGLONG,
  NUMBER_ULONGLONG,
  NUMBER_FLOAT,
  NUMBER_DOUBLE,
};

// Functions that convert return 0, or -1 with an exception set.
struct ArgumentsApi {
  int (*signed_number)(PyObject* object, long long lowest, long long highest, long long* value, Place place);
  int (*unsigned_number)(PyObject* object, unsigned long long highest, unsigned long long* value, Place place);
  int (*real_number)(PyObject* object, double largest, double* value, Place place);
  int (*extra)(PyObject* object, void*** value, Place place);
  int (*text)(Text& text, PyObject* object, bool nullable, Place place);
  int (*address)(Address& address, PyObject* object, int access, size_t byte_length, Place place);
  int (*out_buffer)(OutBuffer& buffer, PyObject* object, size_t needed, Place place);
  void (*out_buffer_release)(OutBuffer& buffer);
  int (*handle_list)(HandleList& list, PyObject* object, int type, const ListRules& rules, Place place);
  int (*handle_pointer)(HandleList& list, PyObject* object, int type, size_t count, Place place);
  int (*record_list)(RecordList& list, PyObject* object, int type, const ListRules& rules, Place place);
  int (*enumeration_list)(EnumerationList& list, PyObject* object, int type, const ListRules& rules, Place place);
  int (*number_list)(NumberList& list, PyObject* object, int number, int handle_type, const ListRules& rules,
                     Place place);
  int (*text_list)(TextList& list, PyObject* object, const ListRules& rules, Place place);
  int (*address_list)(AddressList& list, PyObject* object, const ListRules& rules, Place place);
  void (*address_list_release)(AddressList& list);
  int (*kernel_parameters)(KernelParameters& parameters, PyObject* object, Place place);
  int (*color)(Color& color, PyObject* object, Place place);
  int (*jit_read)(JitOptions& options, PyObject* keys, PyObject* values, size_t count, int table, Place keys_place,
                  Place values_place);
  int (*jit_finish)(JitOptions& options);
  int (*jit_keep_on)(JitOptions& options, PyObject* handle);
  int (*jit_refresh)(PyObject* handle);
  void (*jit_release)(JitOptions& options);
  int (*attribute_get)(AttributeValue& value, int table, int attribute, size_t byte_size, Place place);
  int (*attribute_set)(AttributeValue& value, PyObject* object, int table, int attribute, Place place);
  PyObject* (*attribute_result)(AttributeValue& value);
  int (*attributes_prepare)(AttributeValues& values, PyObject* attributes, PyObject* sizes, size_t count, int table,
                            Place attributes_place, Place sizes_place);
  PyObject* (*attributes_result)(AttributeValues& values);
  void (*attributes_release)(AttributeValues& values);
  PyObject* (*number_list_new)(int number, const void* values, size_t count);
};

// The one instance, in cuda_bindings._native.
const ArgumentsApi* arguments_api();

// Adds what Python reaches of this part of _native.
int init_arguments(PyObject* module);

}  // namespace cuda_bindings
