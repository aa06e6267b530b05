// SPDX-License-Identifier: Apache-2.0
// The command line of cuda-bindgen: extract, plan, explain, accept, diff, account.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "commands.hpp"

namespace {

using namespace bindgen;

void add_extract(CLI::App& app, ExtractOptions& options, int& status) {
  auto* command = app.add_subcommand("extract", "read the CUDA headers and write their facts");
  command->add_option("--headers", options.headers, "folder with cuda.h and cuda_runtime_api.h")->required();
  command->add_option("--nvrtc,--also", options.nvrtc, "more header folders: nvrtc.h, crt/, the profiler headers");
  command->add_option("--release", options.release, "the CUDA release, as 13.0; none: an installed toolkit");
  command->add_option("--output", options.output, "folder for facts.jsonl, positions.jsonl, source.json");
  command->add_option("--snapshots", options.snapshots, "folder of the snapshots")->capture_default_str();
  command->add_option("--packages", options.packages, "packages.json that fetch_headers.py wrote beside the headers");
  command->add_option("--resource-dir", options.resource_dir, "clang's resource directory");
  command->add_option("--libc", options.libc, "include folders of the C library");
  command->add_option("--data", options.data, "the generator's data folder");
  command->add_option("--shims", options.shims, "the generator's shim headers");
  command->add_flag("--check", options.check, "fail where the headers say other than the committed snapshot");
  command->callback([&options, &status] { status = run_extract(options); });
}

void add_account(CLI::App& app, AccountOptions& options, int& status) {
  auto* command = app.add_subcommand("account", "sum the facts and name whatever is not in the output");
  command->add_option("--release", options.release, "the CUDA release")->required();
  command->add_option("--snapshots", options.snapshots, "folder of the snapshots")->capture_default_str();
  command->add_option("--plan", options.plan, "plan.json to hold the facts against");
  command->add_option("--data", options.data, "the generator's data folder");
  command->callback([&options, &status] { status = run_account(options); });
}

void add_plan(CLI::App& app, PlanOptions& options, int& status) {
  auto* command = app.add_subcommand("plan", "decide every signature and write plan.json and directions.lock");
  command->add_option("--release", options.release, "the CUDA release")->required();
  command->add_option("--snapshots", options.snapshots, "folder of the snapshots")->capture_default_str();
  command->add_option("--output", options.output, "plan.json to write")->required();
  command->add_option("--data", options.data, "the generator's data folder");
  command->add_flag("--check", options.check, "fail where a verdict is not accepted yet");
  command->callback([&options, &status] { status = run_plan(options); });
}

void add_explain(CLI::App& app, ExplainOptions& options, int& status) {
  auto* command = app.add_subcommand("explain", "print every fact, rule and reason behind a signature");
  command->add_option("function", options.function, "the function's name")->required();
  command->add_option("--release", options.release, "the CUDA release")->required();
  command->add_option("--snapshots", options.snapshots, "folder of the snapshots")->capture_default_str();
  command->add_option("--data", options.data, "the generator's data folder");
  command->callback([&options, &status] { status = run_explain(options); });
}

void add_accept(CLI::App& app, AcceptOptions& options, int& status) {
  auto* command = app.add_subcommand("accept", "accept provisional verdicts into directions.lock");
  command->add_option("names", options.names, "functions or parameters; none: all");
  command->add_option("--release", options.release, "the CUDA release")->required();
  command->add_option("--snapshots", options.snapshots, "folder of the snapshots")->capture_default_str();
  command->add_option("--data", options.data, "the generator's data folder");
  command->callback([&options, &status] { status = run_accept(options); });
}

void add_diff(CLI::App& app, DiffOptions& options, int& status) {
  auto* command = app.add_subcommand("diff", "what a release adds, removes and changes");
  command->add_option("from", options.from, "the older release")->required();
  command->add_option("to", options.to, "the newer release")->required();
  command->add_option("--snapshots", options.snapshots, "folder of the snapshots")->capture_default_str();
  command->callback([&options, &status] { status = run_diff(options); });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Reads the CUDA headers, decides every signature, explains each decision"};
  app.require_subcommand(1);
  int status = 0;
  const std::string data = CUDA_BINDINGS_SOURCE_DIR "/generator/data";
  const std::string snapshots = CUDA_BINDINGS_SOURCE_DIR "/headers-snapshot";
  ExtractOptions extract;
  extract.snapshots = snapshots;
  extract.data = data;
  extract.shims = CUDA_BINDINGS_SOURCE_DIR "/generator/shims";
  AccountOptions account{.release = {}, .snapshots = snapshots, .plan = {}, .data = data};
  PlanOptions plan{.release = {}, .snapshots = snapshots, .output = {}, .data = data, .check = false};
  ExplainOptions explain{.release = {}, .snapshots = snapshots, .data = data, .function = {}};
  AcceptOptions accept{.release = {}, .snapshots = snapshots, .data = data, .names = {}};
  DiffOptions diff{.from = {}, .to = {}, .snapshots = snapshots};
  add_extract(app, extract, status);
  add_plan(app, plan, status);
  add_explain(app, explain, status);
  add_accept(app, accept, status);
  add_diff(app, diff, status);
  add_account(app, account, status);
  try {
    CLI11_PARSE(app, argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "cuda-bindgen: " << error.what() << "\n";
    return 2;
  }
  return status;
}
