// SPDX-License-Identifier: Apache-2.0
// cuda-bindgen extract: writes the snapshot of one release.
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "facts/extract.hpp"
#include "facts/json.hpp"
#include "facts/sha256.hpp"

namespace bindgen {
namespace {

// Which packages and bytes the facts came from: CUDA_VERSION does not tell patch releases apart.
std::string source_json(const ExtractOptions& options, const facts::Headers& headers, const facts::Extraction& extraction) {
  nlohmann::ordered_json json;
  json["schema"] = facts::schema_version;
  json["release"] = options.release;
  if (!options.packages.empty()) json["packages"] = nlohmann::ordered_json::parse(facts::read_text(options.packages));
  json["unused"] = extraction.unused;
  auto& sums = json["sha256"] = nlohmann::ordered_json::object();
  for (const auto& path : extraction.headers) sums[headers.cuda_name(path).value()] = facts::sha256(facts::read_text(path));
  return json.dump(1) + "\n";
}

facts::HeaderFolders folders_of(const ExtractOptions& options) {
  facts::HeaderFolders folders;
  folders.cuda.push_back(std::filesystem::absolute(options.headers).lexically_normal().string());
  for (const auto& folder : options.nvrtc) folders.cuda.push_back(std::filesystem::absolute(folder).lexically_normal().string());
  folders.shims = std::filesystem::absolute(options.shims).lexically_normal().string();
  folders.resource = options.resource_dir.empty() ? CUDA_BINDINGS_RESOURCE_DIR : options.resource_dir;
  folders.libc = options.libc.empty() ? facts::default_libc_folders() : options.libc;
  return folders;
}

}  // namespace

int run_extract(const ExtractOptions& options) {
  const facts::Headers headers(facts::read_header_table(options.data + "/headers.toml"), folders_of(options));
  Diagnostics diagnostics;
  const auto extraction = facts::extract(headers, options.data, diagnostics);
  if (!diagnostics.empty()) return diagnostics.print(std::cerr);
  facts::write_text(options.output + "/facts.jsonl", facts::to_jsonl(extraction.facts));
  facts::write_text(options.output + "/positions.jsonl", facts::to_jsonl(extraction.positions));
  facts::write_text(options.output + "/source.json", source_json(options, headers, extraction));
  return 0;
}

}  // namespace bindgen
