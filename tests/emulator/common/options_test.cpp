// SPDX-License-Identifier: Apache-2.0
// The emulated device's options: what each variable accepts, and what is said about values that it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "common/read_options.hpp"

namespace {

using emulator::Options;
using testing::ElementsAre;
using testing::IsEmpty;

/// Options, and what was said about their values.
struct Reading {
  Options options;
  std::vector<std::string> complaints;
};

/// Reads the options where just these variables are set; names are without their common beginning.
Reading read(const std::map<std::string, std::string>& variables) {
  std::map<std::string, std::string> environment;
  for (const auto& [name, value] : variables) environment["CUDA_BINDINGS_EMULATOR_" + name] = value;
  Reading reading;
  reading.options = emulator::read_options(
      [&](const char* name) {
        const auto found = environment.find(name);
        return found == environment.end() ? nullptr : found->second.c_str();
      },
      [&](const std::string& line) { reading.complaints.push_back(line); });
  return reading;
}

TEST(Options, HaveDefaultsWhereNothingIsSet) {
  const Reading reading = read({});
  EXPECT_EQ(reading.options.compute_capability, 80u);
  EXPECT_EQ(reading.options.threads, 0u);
  EXPECT_FALSE(reading.options.strict);
  EXPECT_EQ(reading.options.timeout_seconds, 0.0);
  EXPECT_EQ(reading.options.memory_bytes, 0u);
  EXPECT_EQ(reading.options.driver_version, 13000);
  EXPECT_EQ(reading.options.trace, "");
  EXPECT_EQ(reading.options.coverage, "");
  EXPECT_THAT(reading.complaints, IsEmpty());
}

TEST(Options, AreReadFromTheirVariables) {
  const Reading reading = read({{"CC", "9.0"},
                                {"THREADS", "3"},
                                {"STRICT", "1"},
                                {"TIMEOUT", "2.5"},
                                {"MEMORY", "512M"},
                                {"DRIVER_VERSION", "12.4"},
                                {"TRACE", "saxpy"},
                                {"COVERAGE", "covered.txt"}});
  EXPECT_EQ(reading.options.compute_capability, 90u);
  EXPECT_EQ(reading.options.threads, 3u);
  EXPECT_TRUE(reading.options.strict);
  EXPECT_EQ(reading.options.timeout_seconds, 2.5);
  EXPECT_EQ(reading.options.memory_bytes, 536870912u);
  EXPECT_EQ(reading.options.driver_version, 12040);
  EXPECT_EQ(reading.options.trace, "saxpy");
  EXPECT_EQ(reading.options.coverage, "covered.txt");
  EXPECT_THAT(reading.complaints, IsEmpty());
}

TEST(Options, TakeTheFirstAndTheLastCapability) {
  EXPECT_EQ(read({{"CC", "7.5"}}).options.compute_capability, 75u);
  EXPECT_EQ(read({{"CC", "12.0"}}).options.compute_capability, 120u);
}

TEST(Options, TakeMemoryInBytesAndUnits) {
  EXPECT_EQ(read({{"MEMORY", "4096"}}).options.memory_bytes, 4096u);
  EXPECT_EQ(read({{"MEMORY", "64k"}}).options.memory_bytes, 65536u);
  EXPECT_EQ(read({{"MEMORY", "2G"}}).options.memory_bytes, 2147483648u);
}

TEST(Options, TakeTheDriverVersionAsCudaWritesIt) {
  EXPECT_EQ(read({{"DRIVER_VERSION", "12040"}}).options.driver_version, 12040);
}

TEST(Options, TreatAnEmptyVariableAsUnset) {
  const Reading reading = read({{"CC", ""}});
  EXPECT_EQ(reading.options.compute_capability, 80u);
  EXPECT_THAT(reading.complaints, IsEmpty());
}

TEST(Options, NameTheVariableAndTheValueThatTheyIgnore) {
  const Reading reading = read({{"CC", "6.1"}});
  EXPECT_EQ(reading.options.compute_capability, 80u);
  EXPECT_THAT(reading.complaints, ElementsAre("CUDA_BINDINGS_EMULATOR_CC=6.1 is ignored: expected a compute "
                                              "capability from 7.5 to 12.0"));
}

/// A variable and a value that it does not accept.
struct Refused {
  const char* variable;
  const char* value;
};

class OptionsRefuse : public testing::TestWithParam<Refused> {};

TEST_P(OptionsRefuse, AValueThatMeansNothing) {
  const auto& [variable, value] = GetParam();
  const Reading reading = read({{variable, value}});
  EXPECT_EQ(reading.complaints.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Each, OptionsRefuse,
                         testing::Values(Refused{"CC", "80"}, Refused{"CC", "8.0a"}, Refused{"CC", "12.1"},
                                         Refused{"CC", "4294967304.0"}, Refused{"THREADS", "-1"},
                                         Refused{"THREADS", "100000"}, Refused{"STRICT", "maybe"},
                                         Refused{"TIMEOUT", "-1"}, Refused{"TIMEOUT", "inf"}, Refused{"TIMEOUT", "1s"},
                                         Refused{"MEMORY", "G"}, Refused{"MEMORY", "99999999999G"},
                                         Refused{"MEMORY", "2GB"}, Refused{"DRIVER_VERSION", "12"},
                                         Refused{"DRIVER_VERSION", "12.4.1"}));

}  // namespace
