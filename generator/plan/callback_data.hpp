// SPDX-License-Identifier: Apache-2.0
// callbacks.toml as values: how long CUDA may call what a parameter gives it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace bindgen::plan {

// All are C names of parameters, empty where there is none.
struct CallbackRow {
  std::string lifetime;   // enqueued, once, registered, call, graph
  std::string user_data;  // what CUDA hands to the callback
  std::string stream;     // enqueued: where the call is put
  std::string key;        // registered: the argument that it is registered for; empty: the returned handle
  std::string until;      // registered: "function.parameter" whose success ends it
  std::string graph;      // graph: what keeps it
  std::int64_t failed;    // what C gets from a callable that raised, where the type is spelled in place
};

struct CallbackData {
  std::map<std::string, CallbackRow> given;    // "cuLaunchHostFunc.fn"
  std::map<std::string, std::string> members;  // "CUDA_HOST_NODE_PARAMS_st.fn" -> the member with its user data
};

// Without the file there are no rows.
CallbackData read_callback_data(const std::string& folder);

}  // namespace bindgen::plan
