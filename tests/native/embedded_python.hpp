// SPDX-License-Identifier: Apache-2.0
// A Python interpreter inside the test program, with cuda_bindings._native in it and its classes as `driver` and
// `runtime`.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "native/api.hpp"
#include "native/reference.hpp"

namespace cuda_bindings::testing {

// The value of an expression; an exception fails the test and gives None. Names made by run() stay until the program
// ends.
Reference eval(const std::string& expression);
void run(const std::string& statements);
// Whether an expression is true in Python.
::testing::AssertionResult holds(const std::string& expression);

// The same with the value under the name `it`.
::testing::AssertionResult is(const Reference& value, const std::string& expression);
std::uint64_t number_of(const std::string& expression);

// "TypeError: text" of the exception that is set, which is cleared; empty where there is none.
std::string taken_exception();

// The type and a part of the text of the exception that is set, which is cleared.
::testing::AssertionResult raised(const std::string& type, const std::string& part);

}  // namespace cuda_bindings::testing
