// SPDX-License-Identifier: Apache-2.0
// printf of kernels: formats against the host's snprintf and against typed texts, arguments, bad formats and pointers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "caller.hpp"

namespace emulator::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::uint32_t minus_one = 0xffffffffu;

/// What the host prints for one value.
template <class T>
std::string host_text(const std::string& format, T value) {
  char buffer[512];
  const int length = std::snprintf(buffer, sizeof(buffer), format.c_str(), value);
  return {buffer, static_cast<std::size_t>(length)};
}

TEST(Printf, PlainTextAndPercentSigns) {
  Caller on;
  EXPECT_EQ(on.print("hello\n", {}), "hello\n");
  EXPECT_EQ(on.result(0), 0u);
  EXPECT_EQ(on.print("100%% %%d", {}), "100% %d");
  EXPECT_EQ(on.print("", {}), "");
}

TEST(Printf, MixedArgumentsAreTakenFromTheirAlignedPlaces) {
  Caller on;
  const auto packed = PackedArguments().add(7).add(2.5).add(-3).add(std::int64_t{1} << 40).add('x' + 0);
  EXPECT_EQ(on.print("%d %f %i %lld %c|", packed), "7 2.500000 -3 1099511627776 x|");
  EXPECT_EQ(on.result(0), 5u);
}

TEST(Printf, IntegersAgreeWithTheHost) {
  Caller on;
  for (const char* flags : {"", "-", "0", "+", " ", "-0", "+0", " +", "-+ 0"}) {
    for (const char* size : {"", "1", "8", "12", ".0", ".3", "8.5", "12.", "2.9"}) {
      for (const std::int32_t value : {0, 1, -1, 42, -12345, std::numeric_limits<std::int32_t>::min()}) {
        const std::string start = std::string("%") + flags + size;
        EXPECT_EQ(on.print(start + "d|", PackedArguments().add(value)), host_text(start + "d|", value)) << start;
        EXPECT_EQ(on.print(start + "lld|", PackedArguments().add(std::int64_t{value} * 1000000)),
                  host_text(start + "lld|", static_cast<long long>(value) * 1000000))
            << start;
      }
    }
  }
}

TEST(Printf, UnsignedIntegersAgreeWithTheHost) {
  Caller on;
  for (const char* flags : {"", "-", "0", "#", "#0", "-#"}) {
    for (const char* size : {"", "1", "12", ".0", ".3", "12.5"}) {
      for (const char* letter : {"o", "x", "X"}) {
        for (const std::uint32_t value : {0u, 1u, 255u, 0xdeadbeefu}) {
          const std::string start = std::string("%") + flags + size;
          EXPECT_EQ(on.print(start + letter + "|", PackedArguments().add(value)),
                    host_text(start + letter + "|", value))
              << start << letter;
          EXPECT_EQ(on.print(start + "l" + letter + "|", PackedArguments().add(std::uint64_t{value} << 20)),
                    host_text(start + "l" + letter + "|", static_cast<unsigned long>(value) << 20))
              << start << letter;
        }
      }
    }
  }
  EXPECT_EQ(on.print("%u %5u %-5u|", PackedArguments().add(0xffffffffu).add(7).add(7)), "4294967295     7 7    |");
}

TEST(Printf, LengthsChooseTheBytes) {
  Caller on;
  const auto wide = PackedArguments().add(0x1234567890abcdefll);
  EXPECT_EQ(on.print("%hhd", PackedArguments().add(0x1ff)), "-1");
  EXPECT_EQ(on.print("%hhu", PackedArguments().add(0x1ff)), "255");
  EXPECT_EQ(on.print("%hd", PackedArguments().add(0x18000)), "-32768");
  EXPECT_EQ(on.print("%hx", PackedArguments().add(0x18000)), "8000");
  for (const char* format : {"%lx", "%llx", "%jx", "%zx", "%tx"}) {
    EXPECT_EQ(on.print(format, wide), "1234567890abcdef") << format;
  }
}

TEST(Printf, FloatsAgreeWithTheHost) {
  Caller on;
  for (const char* flags : {"", "-", "0", "+", " ", "#", "+#0"}) {
    for (const char* size : {"", "10", ".0", ".3", "14.2", ".12"}) {
      for (const char* letter : {"f", "F", "e", "E", "g", "G", "a", "A"}) {
        for (const double value : {0.0, -0.0, 1.0, -2.5, 3.14159e-20, 6.02e23, 1e300,
                                   std::numeric_limits<double>::infinity(), std::nan("")}) {
          const std::string format = std::string("%") + flags + size + letter + "|";
          EXPECT_EQ(on.print(format, PackedArguments().add(value)), host_text(format, value)) << format;
        }
      }
    }
  }
}

TEST(Printf, LengthLettersOfFloatsAreAllowed) {
  Caller on;
  EXPECT_EQ(on.print("%lf %Lf", PackedArguments().add(1.5).add(2.5)), "1.500000 2.500000");
}

TEST(Printf, CharactersAndPointers) {
  Caller on;
  EXPECT_EQ(on.print("%c%3c%-3c|", PackedArguments().add('a' + 0).add('b' + 0).add('c' + 0)), "a  bc  |");
  EXPECT_EQ(on.print("%p|%16p|", PackedArguments().add(0x7f00deadbeefll).add(0x10ll)),
            "0x7f00deadbeef|            0x10|");
  EXPECT_EQ(on.print("%p", PackedArguments().add(0ll)), "(nil)");
}

TEST(Printf, CharacterNulIsPrinted) {
  Caller on;
  EXPECT_EQ(on.print("a%cb", PackedArguments().add(0)), std::string("a\0b", 3));
}

TEST(Printf, StringsAreReadThroughTheirAddress) {
  Caller on;
  const std::uint64_t text = on.text("device text");
  EXPECT_EQ(on.print("[%s]", PackedArguments().add(text)), "[device text]");
  EXPECT_EQ(on.print("[%.6s]", PackedArguments().add(text)), "[device]");
  EXPECT_EQ(on.print("[%14s]", PackedArguments().add(text)), "[   device text]");
  EXPECT_EQ(on.print("[%-14.3s]", PackedArguments().add(text)), "[dev           ]");
  EXPECT_EQ(on.print("[%s]", PackedArguments().add(std::uint64_t{0})), "[(null)]");
}

TEST(Printf, StringsMayLieInLocalMemory) {
  Caller on;
  PackedArguments packed;
  packed.add(on.memory.local_window() + 8).add(0x636261);  // "abc"
  EXPECT_EQ(on.print("%s", packed), "abc");
}

TEST(Printf, PrecisionEndsAStringThatHasNoNul) {
  Caller on;
  const auto allocation = on.memory.allocate(4, AllocationKind::variable);
  std::memcpy(allocation->host, "wxyz", 4);
  EXPECT_EQ(on.print("%.4s", PackedArguments().add(allocation->begin)), "wxyz");
}

TEST(Printf, WidthAndPrecisionMayBeArguments) {
  Caller on;
  EXPECT_EQ(on.print("%*d|", PackedArguments().add(6).add(42)), "    42|");
  EXPECT_EQ(on.print("%*d|", PackedArguments().add(-6).add(42)), "42    |");
  EXPECT_EQ(on.print("%.*f|", PackedArguments().add(2).add(3.14159)), "3.14|");
  EXPECT_EQ(on.print("%.*f|", PackedArguments().add(-2).add(3.5)), "3.500000|");
  EXPECT_EQ(on.print("%*.*f|", PackedArguments().add(8).add(3).add(3.14159)), "   3.142|");
  EXPECT_EQ(on.result(0), 3u);
}

TEST(Printf, FormatsThatAreNoneAreText) {
  for (const char* format :
       {"%", "%y", "%n", "%5%", "%-", "%.", "%ll", "%99999999999d", "%.70000f", "%'d", "%1$d", "%k", "%y %d"}) {
    Caller on;
    EXPECT_EQ(on.print(format, PackedArguments().add(1).add(2.0)), format);
    EXPECT_EQ(on.result(0), 0u) << format;
  }
  Caller on;
  EXPECT_EQ(on.print("%d %", PackedArguments().add(1)), "1 %");
  EXPECT_EQ(on.result(0), 1u);
}

TEST(Printf, WidthArgumentThatIsTooLargeGivesMinusOne) {
  Caller on;
  EXPECT_EQ(on.print("%*d", PackedArguments().add(1000000000).add(1)), "");
  EXPECT_EQ(on.result(0), minus_one);
  EXPECT_EQ(on.print("%*d", PackedArguments().add(std::numeric_limits<std::int32_t>::min()).add(1)), "");
  EXPECT_EQ(on.result(0), minus_one);
}

TEST(Printf, NullFormatGivesMinusOne) {
  Caller on;
  on.declare(SystemCall::vprintf, {8, 8}, 4);
  on.argument(0, 0);
  on.argument(1, 0);
  EXPECT_EQ(on.call(), Outcome::next);
  EXPECT_EQ(on.result(31), minus_one);
}

TEST(Printf, LanesPrintInTheirOrderWithTheirOwnFormats) {
  Caller on;
  on.declare(SystemCall::vprintf, {8, 8}, 4);
  const std::uint64_t even = on.text("even %d\n");
  const std::uint64_t odd = on.text("odd %d %d\n");
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    on.argument(0, lane, lane % 2 == 0 ? even : odd);
    on.argument(1, lane, on.arguments(PackedArguments().add(lane).add(10 * lane), 1u << lane));
  }
  EXPECT_EQ(on.call(0x00000170u), Outcome::next);
  EXPECT_EQ(on.printed(), "even 4\nodd 5 50\neven 6\neven 8\n");
  EXPECT_EQ(on.result(4), 1u);
  EXPECT_EQ(on.result(5), 2u);
  EXPECT_EQ(on.result(7), 0u);
}

TEST(Printf, ResultMayBeUnused) {
  Caller on;
  on.declare(SystemCall::vprintf, {8, 8}, 0);
  on.argument(0, on.text("x"));
  on.argument(1, 0);
  EXPECT_EQ(on.call(1), Outcome::next);
  EXPECT_EQ(on.printed(), "x");
}

TEST(Printf, BadPointersFault) {
  Caller on;
  const auto unterminated = on.memory.allocate(4, AllocationKind::variable);
  std::memset(unterminated->host, 'x', 4);
  on.declare(SystemCall::vprintf, {8, 8}, 4);
  on.argument(0, on.text("%s"));
  for (const std::uint64_t address : {std::uint64_t{16}, unterminated->begin + 4, unterminated->begin}) {
    on.argument(1, on.arguments(PackedArguments().add(address)));
    EXPECT_EQ(on.call(0x10u), Outcome::fault);
    EXPECT_EQ(on.fault.kind, FaultKind::illegal_address);
    EXPECT_EQ(on.fault.address, address);
    EXPECT_EQ(on.fault.thread.x, 36u);
    EXPECT_THAT(on.fault.note, StartsWith("a string given to printf"));
  }
  on.argument(1, on.memory.local_window() + 512);
  EXPECT_EQ(on.call(1), Outcome::fault);
  EXPECT_EQ(on.fault.address, on.memory.local_window() + 512);
  EXPECT_THAT(on.fault.note, StartsWith("an argument of printf"));
  on.argument(0, 64);
  EXPECT_EQ(on.call(1), Outcome::fault);
  EXPECT_THAT(on.fault.note, StartsWith("the format given to printf"));
}

TEST(Printf, WrongDeclarationIsRefused) {
  Caller on;
  on.declare(SystemCall::vprintf, {8, 4}, 4);
  EXPECT_EQ(on.call(), Outcome::fault);
  EXPECT_EQ(on.fault.kind, FaultKind::illegal_instruction);
  on.declare(SystemCall::vprintf, {8}, 4);
  EXPECT_EQ(on.call(), Outcome::fault);
}

TEST(PrintBuffer, DropsWhatDoesNotFit) {
  PrintBuffer prints(10);
  EXPECT_TRUE(prints.add("12345"));
  EXPECT_FALSE(prints.add("123456"));
  EXPECT_TRUE(prints.add("67890"));
  EXPECT_FALSE(prints.add("x"));
  ::testing::internal::CaptureStdout();
  prints.flush();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "1234567890");
  EXPECT_TRUE(prints.add("again"));
}

TEST(PrintBuffer, CapacityCanBeSet) {
  PrintBuffer prints;
  EXPECT_EQ(prints.capacity(), std::size_t{1} << 20);
  prints.set_capacity(3);
  EXPECT_EQ(prints.capacity(), 3u);
  EXPECT_FALSE(prints.add("four"));
  EXPECT_TRUE(prints.add("one"));
}

}  // namespace
}  // namespace emulator::test
