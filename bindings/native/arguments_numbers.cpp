// SPDX-License-Identifier: Apache-2.0
// Numbers of any Python type, read without loss.
#include "native/arguments_numbers.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "native/arguments_errors.hpp"
#include "native/integer.hpp"
#include "native/reference.hpp"

namespace cuda_bindings {

namespace {

// A type with __int__ and neither __index__ nor __float__: what it gives is taken for its value.
bool is_int_alone(PyObject* object) {
  const PyNumberMethods* methods = Py_TYPE(object)->tp_as_number;
  return methods != nullptr && methods->nb_int != nullptr && methods->nb_index == nullptr &&
         methods->nb_float == nullptr;
}

Reading read_number(PyObject* object, Integer* value) {
  const Reading reading = read_integer(object, Floats::whole, value);
  if (reading != Reading::not_a_number || !is_int_alone(object)) return reading;
  const Reference converted(PyNumber_Long(object));
  if (converted) return read_integer(converted.get(), Floats::refused, value);
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return Reading::failed;
  PyErr_Clear();  // an __int__ that gives no int: our words say more
  return Reading::not_a_number;
}

std::string range(const std::string& lowest, const std::string& highest) {
  return "an integer in " + lowest + ".." + highest;
}

template <class T>
int store_signed(PyObject* object, void* target, Place place) {
  long long value = 0;
  if (signed_argument(object, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), &value, place) < 0)
    return -1;
  const T narrowed = static_cast<T>(value);
  std::memcpy(target, &narrowed, sizeof narrowed);
  return 0;
}

template <class T>
int store_unsigned(PyObject* object, void* target, Place place) {
  unsigned long long value = 0;
  if (unsigned_argument(object, std::numeric_limits<T>::max(), &value, place) < 0) return -1;
  const T narrowed = static_cast<T>(value);
  std::memcpy(target, &narrowed, sizeof narrowed);
  return 0;
}

template <class T>
T item(const void* values, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(values) + index * sizeof value, sizeof value);
  return value;
}

PyObject* number_from(int number, const void* values, size_t index) {
  switch (number) {
    case NUMBER_INT: return PyLong_FromLong(item<int>(values, index));
    case NUMBER_UINT: return PyLong_FromUnsignedLong(item<unsigned int>(values, index));
    case NUMBER_SHORT: return PyLong_FromLong(item<short>(values, index));
    case NUMBER_USHORT: return PyLong_FromLong(item<unsigned short>(values, index));
    case NUMBER_CHAR: return PyLong_FromLong(item<signed char>(values, index));
    case NUMBER_UCHAR: return PyLong_FromLong(item<unsigned char>(values, index));
    case NUMBER_SIZE: return PyLong_FromSize_t(item<size_t>(values, index));
    case NUMBER_LONG: return PyLong_FromLong(item<long>(values, index));
    case NUMBER_LONGLONG: return PyLong_FromLongLong(item<long long>(values, index));
    case NUMBER_ULONGLONG: return PyLong_FromUnsignedLongLong(item<unsigned long long>(values, index));
    case NUMBER_FLOAT: return PyFloat_FromDouble(static_cast<double>(item<float>(values, index)));
    case NUMBER_DOUBLE: return PyFloat_FromDouble(item<double>(values, index));
    default: PyErr_Format(PyExc_SystemError, "unknown number kind %d", number); return nullptr;
  }
}

}  // namespace

int signed_argument(PyObject* object, long long lowest, long long highest, long long* value, Place place) {
  Integer number;
  Reading reading = read_number(object, &number);
  if (reading == Reading::good && !number.fits_signed(lowest, highest)) reading = Reading::too_large;
  if (reading == Reading::good) {
    *value = number.as_signed();
    return 0;
  }
  refuse_reading(reading, object, where(place), range(std::to_string(lowest), std::to_string(highest)));
  return -1;
}

int unsigned_argument(PyObject* object, unsigned long long highest, unsigned long long* value, Place place) {
  Integer number;
  Reading reading = read_number(object, &number);
  if (reading == Reading::good && !number.fits_unsigned(highest)) reading = Reading::too_large;
  if (reading == Reading::good) {
    *value = number.bits;
    return 0;
  }
  refuse_reading(reading, object, where(place), range("0", std::to_string(highest)));
  return -1;
}

int real_argument(PyObject* object, double largest, double* value, Place place) {
  const double read = PyFloat_AsDouble(object);
  if (read == -1.0 && PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_TypeError)) return raise_type(place, object, "a number");
    if (PyErr_ExceptionMatches(PyExc_OverflowError))
      return raise_range(place, object, "a number that a C double can hold");
    return -1;
  }
  if (std::isfinite(read) && std::fabs(read) > largest)
    return raise_range(place, object, "a number that a C float can hold");
  *value = read;
  return 0;
}

int read_extra(PyObject* object, void*** value, Place place) {
  constexpr char accepted[] = "an int, the address of an array (0 for none)";
  if (object == Py_None || PyBool_Check(object) || PyFloat_Check(object)) return raise_type(place, object, accepted);
  unsigned long long address = 0;
  if (unsigned_argument(object, UINTPTR_MAX, &address, place) < 0) return -1;
  *value = reinterpret_cast<void**>(static_cast<uintptr_t>(address));
  return 0;
}

size_t number_size(int number) {
  constexpr size_t sizes[] = {
      sizeof(int),       sizeof(int),       sizeof(short), sizeof(short), 1, 1, sizeof(size_t), sizeof(long),
      sizeof(long long), sizeof(long long), sizeof(float), sizeof(double)};
  static_assert(sizeof sizes / sizeof sizes[0] == NUMBER_DOUBLE + 1);
  return number < 0 || number > NUMBER_DOUBLE ? 0 : sizes[number];
}

int store_number(PyObject* object, int number, void* target, Place place) {
  switch (number) {
    case NUMBER_INT: return store_signed<int>(object, target, place);
    case NUMBER_UINT: return store_unsigned<unsigned int>(object, target, place);
    case NUMBER_SHORT: return store_signed<short>(object, target, place);
    case NUMBER_USHORT: return store_unsigned<unsigned short>(object, target, place);
    case NUMBER_CHAR: return store_signed<signed char>(object, target, place);
    case NUMBER_UCHAR: return store_unsigned<unsigned char>(object, target, place);
    case NUMBER_SIZE: return store_unsigned<size_t>(object, target, place);
    case NUMBER_LONG: return store_signed<long>(object, target, place);
    case NUMBER_LONGLONG: return store_signed<long long>(object, target, place);
    case NUMBER_ULONGLONG: return store_unsigned<unsigned long long>(object, target, place);
    case NUMBER_FLOAT: {
      double value = 0;
      if (real_argument(object, static_cast<double>(std::numeric_limits<float>::max()), &value, place) < 0) return -1;
      const float narrowed = static_cast<float>(value);
      std::memcpy(target, &narrowed, sizeof narrowed);
      return 0;
    }
    case NUMBER_DOUBLE: {
      double value = 0;
      if (real_argument(object, std::numeric_limits<double>::infinity(), &value, place) < 0) return -1;
      std::memcpy(target, &value, sizeof value);
      return 0;
    }
    default: PyErr_Format(PyExc_SystemError, "unknown number kind %d", number); return -1;
  }
}

PyObject* number_list_from(int number, const void* values, size_t count) {
  if (count > static_cast<size_t>(PY_SSIZE_T_MAX)) return PyErr_NoMemory();
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(count));
  if (list == nullptr) return nullptr;
  for (size_t index = 0; index < count; ++index) {
    PyObject* number_object = number_from(number, values, index);
    if (number_object == nullptr) {
      Py_DECREF(list);
      return nullptr;
    }
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(index), number_object);
  }
  return list;
}

}  // namespace cuda_bindings
