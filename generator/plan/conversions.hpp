// SPDX-License-Identifier: Apache-2.0
// How one parameter is read from Python or made for Python.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plan/functions.hpp"

namespace bindgen::plan {

// The parameters of one function with their places among its Python arguments and outputs.
class Signature {
 public:
  Signature(const facts::Function& function, std::vector<Decision>& decisions, const FunctionContext& context);

  std::vector<Argument> arguments() const;
  std::vector<Output> outputs() const;
  std::vector<CallSlot> call() const;
  // What is done around the call so that callables stay alive.
  std::vector<Json> callbacks() const;

 private:
  std::string python_name(std::size_t parameter) const;
  std::optional<std::size_t> parameter_named(const std::string& c_name) const;

  Argument argument(std::size_t parameter) const;
  Argument value_argument(const Decision& decision) const;
  Argument pointer_argument(std::size_t parameter) const;
  Argument list_argument(std::size_t parameter, const std::string& convert) const;
  Argument row_argument(std::size_t parameter) const;
  std::optional<Argument> row_slot_argument(std::size_t parameter) const;
  Argument address_argument(std::size_t parameter) const;
  bool is_callback(std::size_t parameter) const;
  const CallbackRow* callback_row(std::size_t parameter) const;
  std::optional<std::size_t> callback_of_user_data(std::size_t parameter) const;
  Argument callback_argument(std::size_t parameter) const;
  Argument user_data_argument(std::size_t callback) const;
  std::string registered_class(const std::string& given) const;
  Argument option_argument(std::size_t parameter) const;
  Argument both_argument(std::size_t parameter) const;
  void add_row_details(std::size_t parameter, Argument& argument) const;
  Json count_name(std::size_t parameter) const;
  bool is_handle_nullable(const std::string& id) const;

  Output output(std::size_t parameter) const;
  Output row_output(std::size_t parameter) const;
  Output pointer_output(std::size_t parameter) const;
  Output slot_output(const Decision& decision) const;

  bool is_hidden(std::size_t parameter) const { return decisions_[parameter].convert == "hidden_size"; }
  bool is_capacity(std::size_t parameter) const { return decisions_[parameter].rule == "capacity-count"; }
  std::optional<std::size_t> capacity() const;
  void refuse(std::size_t parameter) const;

  const facts::Function& function_;
  std::vector<Decision>& decisions_;
  const FunctionContext& context_;
  std::vector<int> argument_of_;                                             // -1: no argument
  std::vector<int> output_of_;                                               // -1: no output
  std::map<std::size_t, std::size_t> attribute_users_;                       // enum parameter -> value parameter
  std::map<std::size_t, std::pair<std::size_t, std::string>> option_parts_;  // parameter -> composite, part
};

}  // namespace bindgen::plan
