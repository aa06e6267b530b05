// SPDX-License-Identifier: Apache-2.0
// The subcommands of cuda-bindgen: their options as the command line fills them, and one function each in commands/.
#pragma once

#include <string>
#include <vector>

namespace bindgen {

// Each returns the process's exit status: 0, or 1 after the errors were printed to stderr.

struct ExtractOptions {
  std::string headers;             // folder with cuda.h and cuda_runtime_api.h
  std::vector<std::string> nvrtc;  // more header folders: nvrtc.h, crt/, the profiler headers
  std::string release;             // "13.0"; empty: an installed toolkit, whose key is made from its headers' bytes
  std::string output;              // folder to write; empty: the release's own folder in `snapshots`
  std::string snapshots;           // headers-snapshot
  std::string packages;            // source.json fragment with package versions and hashes, from fetch_headers.py
  std::string resource_dir;        // clang's own headers; empty: those of the libclang built in
  std::vector<std::string> libc;   // the C library's include folders; empty: the system's
  std::string data;                // generator/data
  std::string shims;               // generator/shims
  bool check = false;              // fail where the committed snapshot of the release says otherwise
};
int run_extract(const ExtractOptions& options);

struct AccountOptions {
  std::string release;
  std::string snapshots;  // headers-snapshot
  std::string plan;       // plan.json, if there is one
  std::string data;       // generator/data
};
int run_account(const AccountOptions& options);

struct PlanOptions {
  std::string release;
  std::string snapshots;  // headers-snapshot
  std::string output;     // plan.json, a build product
  std::string data;       // generator/data
  bool check = false;     // fail where a verdict is provisional
};
int run_plan(const PlanOptions& options);

struct ExplainOptions {
  std::string release;
  std::string snapshots;
  std::string data;
  std::string function;  // public or link name
};
int run_explain(const ExplainOptions& options);

struct AcceptOptions {
  std::string release;
  std::string snapshots;
  std::string data;
  std::vector<std::string> names;  // functions or parameters to accept; empty: all that are provisional
};
int run_accept(const AcceptOptions& options);

struct DiffOptions {
  std::string from;  // "12.9"
  std::string to;    // "13.0"
  std::string snapshots;
};
int run_diff(const DiffOptions& options);

}  // namespace bindgen
