// SPDX-License-Identifier: Apache-2.0
// cuda-bindgen extract: writes the snapshot of one release; with --check, holds it against the committed one.
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "facts/extract.hpp"
#include "facts/json.hpp"
#include "facts/sha256.hpp"
#include "report/snapshot.hpp"

namespace bindgen {
namespace {

using Json = nlohmann::ordered_json;

// Header -> hash of its bytes. CUDA_VERSION does not tell patch releases apart, these do.
Json sums_of(const facts::Headers& headers, const std::vector<std::string>& paths) {
  auto sums = Json::object();
  for (const auto& path : paths) sums[headers.cuda_name(path).value()] = facts::sha256(facts::read_text(path));
  return sums;
}

// The key of an installed toolkit's snapshot: two toolkits share it only if their headers are the same bytes.
std::string toolkit_key(const Json& sums) { return "toolkit-" + facts::sha256(sums.dump()).substr(0, 12); }

// Which packages and bytes the facts came from.
std::string source_json(const ExtractOptions& options, const std::string& release, const facts::Extraction& extraction,
                        Json sums) {
  Json json;
  json["schema"] = facts::schema_version;
  json["release"] = release;
  if (!options.packages.empty()) json["packages"] = Json::parse(facts::read_text(options.packages));
  json["unused"] = extraction.unused;
  json["sha256"] = std::move(sums);
  return json.dump(1) + "\n";
}

facts::HeaderFolders folders_of(const ExtractOptions& options) {
  facts::HeaderFolders folders;
  folders.cuda.push_back(std::filesystem::absolute(options.headers).lexically_normal().string());
  for (const auto& folder : options.nvrtc)
    folders.cuda.push_back(std::filesystem::absolute(folder).lexically_normal().string());
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
  auto sums = sums_of(headers, extraction.headers);
  const auto release = options.release.empty() ? toolkit_key(sums) : options.release;
  const auto output = options.output.empty() ? options.snapshots + "/" + release : options.output;
  facts::write_text(output + "/facts.jsonl", facts::to_jsonl(extraction.facts));
  facts::write_text(output + "/positions.jsonl", facts::to_jsonl(extraction.positions));
  facts::write_text(output + "/source.json", source_json(options, release, extraction, std::move(sums)));
  std::cout << output << "\n";
  if (!options.check) return 0;
  const auto folder = options.snapshots + "/" + release;
  report::check_snapshot({facts::read_facts(folder), facts::read_positions(folder)},
                         {extraction.facts, extraction.positions}, release, diagnostics);
  return diagnostics.print(std::cerr);
}

}  // namespace bindgen
