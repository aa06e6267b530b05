// SPDX-License-Identifier: Apache-2.0
// The block of function pointers through which the extension modules convert arguments, and what Python reaches of it.
#include "native/api.hpp"

#include "native/arguments_address.hpp"
#include "native/arguments_attributes.hpp"
#include "native/arguments_jit.hpp"
#include "native/arguments_kernel.hpp"
#include "native/arguments_lists.hpp"
#include "native/arguments_numbers.hpp"
#include "native/arguments_objects.hpp"
#include "native/arguments_text.hpp"
#include "native/registry.hpp"

namespace cuda_bindings {

namespace {

constexpr ArgumentsApi functions = {
    .signed_number = signed_argument,
    .unsigned_number = unsigned_argument,
    .real_number = real_argument,
    .extra = read_extra,
    .text = read_text,
    .address = read_address,
    .out_buffer = read_out_buffer,
    .out_buffer_release = release_out_buffer,
    .handle_list = read_handle_list,
    .handle_pointer = read_handle_pointer,
    .record_list = read_record_list,
    .enumeration_list = read_enumeration_list,
    .number_list = read_number_list,
    .text_list = read_text_list,
    .address_list = read_address_list,
    .address_list_release = release_address_list,
    .kernel_parameters = read_kernel_parameters,
    .color = read_color,
    .jit_read = read_jit_options,
    .jit_finish = finish_jit_options,
    .jit_keep_on = keep_jit_options,
    .jit_refresh = refresh_jit_options,
    .jit_release = release_jit_options,
    .attribute_get = prepare_attribute_get,
    .attribute_set = prepare_attribute_set,
    .attribute_result = attribute_result,
    .attributes_prepare = prepare_attributes,
    .attributes_result = attributes_result,
    .attributes_release = release_attributes,
    .number_list_new = number_list_from,
};

// The value of a pointer handle, for utils.get_cuda_native_handle: exact classes, as the API has it.
PyObject* native_handle(PyObject*, PyObject* object) {
  const ClassEntry entry = find_class(Py_TYPE(object));
  if (entry.kind != ClassKind::handle || handle_rows[entry.id].kind != HandleKind::pointer ||
      entry.id == HANDLE_nvrtcProgram) {
    return PyErr_Format(PyExc_TypeError, "Unknown type: %R", Py_TYPE(object));
  }
  return PyLong_FromUnsignedLongLong(handle_read(object));
}

PyMethodDef methods[] = {
    {"native_handle", native_handle, METH_O, "native_handle(handle) -> int\n\nThe pointer that a handle stands for."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

const ArgumentsApi* arguments_api() { return &functions; }

int init_arguments(PyObject* module) { return PyModule_AddFunctions(module, methods); }

}  // namespace cuda_bindings
