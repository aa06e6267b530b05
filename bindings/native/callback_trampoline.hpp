// SPDX-License-Identifier: Apache-2.0
// The C functions that CUDA is given for callables: one for each callback type, all of them end in CallbackRun.
#pragma once

#include <cxxabi.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "native/callback_rows.hpp"

namespace cuda_bindings {

// One call from CUDA, on whatever thread, with or without the GIL. A callable has run when the constructor is done; of a
// function of ctypes the code is handed out, to be called with the words as they are then.
class CallbackRun {
 public:
  CallbackRun(int type, std::uint64_t* words);
  CallbackRun(const CallbackRun&) = delete;
  CallbackRun& operator=(const CallbackRun&) = delete;
  ~CallbackRun();

  void* code() const { return code_; }
  std::int64_t result() const { return result_; }

 private:
  void run(int type, std::uint64_t* words);

  void* code_ = nullptr;
  void* cell_ = nullptr;  // kept until a function of ctypes has returned
  std::int64_t result_ = 0;
  bool inside_ = false;
};

template <class Value>
std::uint64_t callback_word(Value value) {
  if constexpr (std::is_pointer_v<Value>) {
    return reinterpret_cast<std::uint64_t>(value);
  } else {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
}

template <class Value>
Value from_callback_word(std::uint64_t word) {
  if constexpr (std::is_pointer_v<Value>) {
    return reinterpret_cast<Value>(word);
  } else {
    return static_cast<Value>(word);
  }
}

template <class Result, class... Arguments, std::size_t... indexes>
Result call_with_words(void* code, const std::uint64_t* words, std::index_sequence<indexes...>) {
  return reinterpret_cast<Result (*)(Arguments...)>(code)(from_callback_word<Arguments>(words[indexes])...);
}

template <int type, class Result, class... Arguments>
Result callback_trampoline(Arguments... arguments) try {
  std::uint64_t words[] = {callback_word(arguments)...};
  const CallbackRun run(type, words);
  if (run.code() != nullptr) {
    return call_with_words<Result, Arguments...>(run.code(), words, std::index_sequence_for<Arguments...>{});
  }
  if constexpr (!std::is_void_v<Result>) return static_cast<Result>(run.result());
} catch (abi::__forced_unwind&) {
  // An interpreter before 3.14 that has ended makes a thread that wants the GIL exit; through CUDA's frames that may not
  // go. Later ones stop the thread, and so do we.
  for (;;) pause();
}

template <int type, class Result, class... Arguments>
void* trampoline_of() {
  return reinterpret_cast<void*>(&callback_trampoline<type, Result, Arguments...>);
}

}  // namespace cuda_bindings
