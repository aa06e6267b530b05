// SPDX-License-Identifier: Apache-2.0
// Reads Python numbers without losing anything: what does not fit, or is no whole number, is said.
#include "native/integer.hpp"

#include <cmath>

namespace cuda_bindings {
namespace {

constexpr double TWO_TO_63 = 9223372036854775808.0;
constexpr double TWO_TO_64 = 18446744073709551616.0;

Reading read_long(PyObject* object, Integer* value) {
  int overflow = 0;
  const long long small = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) {
    if (small == -1 && PyErr_Occurred()) return Reading::failed;
    *value = {static_cast<std::uint64_t>(small), small < 0};
    return Reading::good;
  }
  if (overflow < 0) return Reading::too_large;
  const unsigned long long large = PyLong_AsUnsignedLongLong(object);
  if (large == static_cast<unsigned long long>(-1) && PyErr_Occurred()) {
    PyErr_Clear();
    return Reading::too_large;
  }
  *value = {large, false};
  return Reading::good;
}

Reading read_double(double number, Integer* value) {
  if (!std::isfinite(number) || number != std::floor(number)) return Reading::not_whole;
  if (number < -TWO_TO_63 || number >= TWO_TO_64) return Reading::too_large;
  if (number < 0) {
    *value = {static_cast<std::uint64_t>(static_cast<std::int64_t>(number)), true};
  } else {
    *value = {static_cast<std::uint64_t>(number), false};
  }
  return Reading::good;
}

// The object's own refusal (an array that is no scalar) is a TypeError: ours says more.
Reading own_refusal() {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return Reading::failed;
  PyErr_Clear();
  return Reading::not_a_number;
}

std::string range_text(const std::string& least, const std::string& most) {
  return "an integer in " + least + ".." + most;
}

}  // namespace

Reading read_integer(PyObject* object, Floats floats, Integer* value) {
  if (PyLong_Check(object)) return read_long(object, value);
  if (PyFloat_Check(object)) {
    return floats == Floats::whole ? read_double(PyFloat_AS_DOUBLE(object), value) : Reading::not_a_number;
  }
  if (PyIndex_Check(object)) {
    PyObject* index = PyNumber_Index(object);
    if (index == nullptr) return own_refusal();
    const Reading reading = read_long(index, value);
    Py_DECREF(index);
    return reading;
  }
  // NumPy's float32 and its kind.
  const PyNumberMethods* methods = Py_TYPE(object)->tp_as_number;
  if (floats == Floats::whole && methods != nullptr && methods->nb_float != nullptr) {
    const double number = PyFloat_AsDouble(object);
    if (number == -1.0 && PyErr_Occurred()) return own_refusal();
    return read_double(number, value);
  }
  return Reading::not_a_number;
}

void refuse_reading(Reading reading, PyObject* object, const Where& where, const std::string& accepted) {
  switch (reading) {
    case Reading::good:
    case Reading::failed: return;
    case Reading::not_a_number: refuse(PyExc_TypeError, where, object, accepted); return;
    case Reading::not_whole: refuse(PyExc_ValueError, where, object, accepted); return;
    case Reading::too_large: refuse(PyExc_OverflowError, where, object, accepted); return;
  }
}

int read_signed(PyObject* object, std::int64_t least, std::int64_t most, const Where& where, std::int64_t* value) {
  Integer number;
  Reading reading = read_integer(object, Floats::whole, &number);
  if (reading == Reading::good && !number.fits_signed(least, most)) reading = Reading::too_large;
  if (reading == Reading::good) {
    *value = number.as_signed();
    return 0;
  }
  refuse_reading(reading, object, where, range_text(std::to_string(least), std::to_string(most)));
  return -1;
}

int read_unsigned(PyObject* object, std::uint64_t most, const Where& where, std::uint64_t* value) {
  Integer number;
  Reading reading = read_integer(object, Floats::whole, &number);
  if (reading == Reading::good && !number.fits_unsigned(most)) reading = Reading::too_large;
  if (reading == Reading::good) {
    *value = number.bits;
    return 0;
  }
  refuse_reading(reading, object, where, range_text("0", std::to_string(most)));
  return -1;
}

int read_raw_address(PyObject* object, const Where& where, const char* accepted, std::uint64_t* value) {
  Integer number;
  Reading reading = PyBool_Check(object) ? Reading::not_a_number : read_integer(object, Floats::refused, &number);
  if (reading == Reading::good && number.negative) reading = Reading::too_large;
  if (reading == Reading::good) {
    *value = number.bits;
    return 0;
  }
  refuse_reading(reading, object, where, accepted);
  return -1;
}

}  // namespace cuda_bindings
