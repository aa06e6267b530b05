// SPDX-License-Identifier: Apache-2.0
// Facts as text: read back unchanged, refused with a place when damaged; equal bytes however and wherever they are
// made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <future>
#include <locale>
#include <set>

#include "extraction.hpp"
#include "facts/reasons.hpp"
#include "facts/sha256.hpp"
#include "facts/witness.hpp"

namespace bindgen::facts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string snapshot = CUDA_BINDINGS_SOURCE_DIR "/headers-snapshot/13.0";

TEST(Jsonl, OfTheWholeSnapshotIsReadBackUnchanged) {
  EXPECT_EQ(to_jsonl(read_facts(snapshot)), read_text(snapshot + "/facts.jsonl"));
  EXPECT_EQ(to_jsonl(read_positions(snapshot)), read_text(snapshot + "/positions.jsonl"));
}

template <typename Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no exception";
}

TEST(Jsonl, NamesTheLineThatItCannotRead) {
  EXPECT_THAT(
      message_of([] {
        facts_from_jsonl(
            "{\"kind\":\"typedef\",\"name\":\"a\",\"module\":\"driver\",\"type\":\"int\"}\n{\"kind\":\"type\"}\n");
      }),
      HasSubstr("facts.jsonl:2: unknown kind \"type\""));
  EXPECT_THAT(message_of([] { facts_from_jsonl("{\"kind\":\"typedef\"}\n"); }), HasSubstr("facts.jsonl:1: "));
  EXPECT_THAT(message_of([] { facts_from_jsonl("{\n"); }), HasSubstr("facts.jsonl:1: "));
  EXPECT_THAT(message_of([] { read_facts("/nowhere"); }), HasSubstr("cannot read /nowhere/facts.jsonl"));
}

const std::string header =
    "typedef struct CUdesc_st { union { struct { int fd; } handle; long raw; } value; union { int a; float b; }; } "
    "CUdesc;\n"
    "#define CU_SIZE 64\n"
    "#define cuFoo cuFoo_v2\n"
    "/** \\param[out] desc it */\n"
    "int cuFoo(CUdesc *desc);\n";

TEST(Extraction, GivesTheSameBytesFromAnotherFolderAndInParallel) {
  const auto expected = testing::extract(header).jsonl();
  EXPECT_EQ(testing::extract(header).jsonl(), expected);
  std::vector<std::future<std::string>> runs;
  for (int run = 0; run < 4; ++run)
    runs.push_back(std::async(std::launch::async, [] { return testing::extract(header).jsonl(); }));
  for (auto& run : runs) EXPECT_EQ(run.get(), expected);
}

TEST(Extraction, GivesTheSameBytesInAnotherLocale) {
  const auto expected = testing::extract(header).jsonl();
  struct Thousands : std::numpunct<char> {
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\1"; }
  };
  const auto before = std::locale::global(std::locale(std::locale::classic(), new Thousands));
  const auto found = testing::extract(header).jsonl();
  std::locale::global(before);
  EXPECT_EQ(found, expected);
}

TEST(Sha256, IsTheStandards) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256(std::string(1000, 'a')), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3");
}

TEST(Witness, SeesPrototypesAndNothingElse) {
  EXPECT_THAT(scan_prototypes("extern int cuFoo(int (*cuNotThis)(void));\n"
                              "typedef int (*cudaType)(int);\n"
                              "typedef struct cudaS { int (*cuMember)(void); } cudaT;\n"
                              "static inline int nvrtcInline(void) { return cuCalled(1); }\n"
                              "cudaError_t __attribute__((deprecated)) cudaBar (int), customBaz(void);\n"),
              ElementsAre("cuFoo", "cudaBar", "nvrtcInline"));
}

TEST(Reasons, KnowWhichRowsWereUsed) {
  const testing::Folder folder;
  folder.write("reasons.toml", "[functions]\ncuA = \"one\"\ncuB = \"two\"\n");
  auto reasons = Reasons::read(folder.path() + "/reasons.toml");
  EXPECT_TRUE(reasons.explains("functions", "cuA"));
  EXPECT_FALSE(reasons.explains("functions", "cuC"));
  EXPECT_THAT(reasons.unused({"functions"}), ElementsAre("functions.cuB"));
}

TEST(Reasons, MustBeGiven) {
  const testing::Folder folder;
  folder.write("reasons.toml", "[functions]\ncuA = \"\"\n");
  EXPECT_THAT(message_of([&] { Reasons::read(folder.path() + "/reasons.toml"); }), HasSubstr("cuA has no reason"));
}

}  // namespace
}  // namespace bindgen::facts
