// SPDX-License-Identifier: Apache-2.0
// Functions: parameters in memory and in registers, structures by value, recursion, pointers, local memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loading.hpp"

namespace emulator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* twice = R"(
.func (.param .b32 result) twice(.param .b32 x)
{
.reg .b32 %r<4>;
ld.param.b32 %r1, [x];
add.s32 %r2, %r1, %r1;
st.param.b32 [result], %r2;
ret;
}
)";

TEST(Calls, PassParametersAndResults) {
  const auto module = load(std::string(twice) + kernel(R"(
{ .param .b32 param0; .param .b32 retval0;
mov.u32 %r1, %tid.x; st.param.b32 [param0], %r1;
call.uni (retval0), twice, (param0);
ld.param.b32 %r2, [retval0]; }
mad.wide.u32 %rd2, %r1, 4, %rd1; st.global.u32 [%rd2], %r2;)"));
  EXPECT_THAT(run(*module, "k", 4, 4), ElementsAre(0u, 2u, 4u, 6u));
}

TEST(Calls, TakeRegistersAndLiterals) {
  const auto module = load(std::string(twice) + kernel(R"(
call (%r2), twice, (21);
call (%r3), twice, (%r2);
st.global.v2.u32 [%rd1], {%r2, %r3};)"));
  EXPECT_THAT(run(*module, "k", 2), ElementsAre(42u, 84u));
}

TEST(Calls, FunctionsMayTakeAndGiveRegisters) {
  const auto module = load(R"(
.func (.reg .b32 %sum) add3(.reg .b32 %a, .reg .b32 %b, .reg .b64 %c)
{
.reg .b32 %t;
cvt.u32.u64 %t, %c;
add.s32 %sum, %a, %b;
add.s32 %sum, %sum, %t;
ret;
}
)" + kernel("mov.b64 %rd2, 100; call (%r1), add3, (1, 10, %rd2); st.global.u32 [%rd1], %r1;"));
  EXPECT_THAT(run(*module, "k", 1), ElementsAre(111u));
}

TEST(Calls, StructuresGoByValueAndTheirAddressesAreLocal) {
  const auto module = load(R"(
.func (.param .align 8 .b8 result[16]) swapped(.param .align 8 .b8 pair[16], .param .b32 which)
{
.reg .b32 %r<4>; .reg .b64 %rd<8>;
ld.param.b64 %rd1, [pair+8];
ld.param.b64 %rd2, [pair];
st.param.v2.b64 [result], {%rd1, %rd2};
mov.b64 %rd3, pair;
ld.param.b32 %r1, [which];
mul.wide.u32 %rd4, %r1, 8;
add.s64 %rd5, %rd3, %rd4;
ld.local.b64 %rd6, [%rd5];
add.s64 %rd6, %rd6, %rd1;
st.param.b64 [result], %rd6;
ret;
}
)" + kernel(R"(
{ .param .align 8 .b8 param0[16]; .param .b32 param1; .param .align 8 .b8 retval0[16];
mov.b64 %rd2, 5; mov.b64 %rd3, 300;
st.param.b64 [param0], %rd2; st.param.b64 [param0+8], %rd3; st.param.b32 [param1], 0;
call (retval0), swapped, (param0, param1);
ld.param.v2.b64 {%rd4, %rd5}, [retval0]; }
st.global.v2.b64 [%rd1], {%rd4, %rd5};)"));
  EXPECT_THAT(run(*module, "k", 4), ElementsAre(305u, 0u, 5u, 0u));
}

TEST(Calls, RecursionKeepsLocalVariablesApart) {
  const auto module = load(R"(
.func (.param .b32 result) sum(.param .b32 n)
{
.local .align 4 .b32 kept[1];
.reg .pred %p; .reg .b32 %r<8>;
ld.param.b32 %r1, [n];
st.local.b32 [kept], %r1;
mov.b32 %r4, 0;
setp.eq.s32 %p, %r1, 0;
@%p bra done;
{ .param .b32 param0; .param .b32 retval0;
add.s32 %r2, %r1, -1;
st.param.b32 [param0], %r2;
call.uni (retval0), sum, (param0);
ld.param.b32 %r3, [retval0]; }
ld.local.b32 %r5, [kept];
add.s32 %r4, %r5, %r3;
done:
st.param.b32 [result], %r4;
ret;
}
)" + kernel("call (%r1), sum, (10); st.global.u32 [%rd1], %r1;"));
  EXPECT_TRUE(module->kernel("k")->calls_itself);
  EXPECT_THAT(run(*module, "k", 1), ElementsAre(55u));
}

TEST(Calls, GoThroughPointersOfATable) {
  const auto module = load(std::string(twice) + R"(
.func (.param .b32 result) negated(.param .b32 x)
{ .reg .b32 %r<3>; ld.param.b32 %r1, [x]; neg.s32 %r2, %r1; st.param.b32 [result], %r2; }
.global .align 8 .u64 functions[2] = {twice, negated};
)" + kernel(R"(
mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; mov.u64 %rd3, functions; add.s64 %rd3, %rd3, %rd2;
ld.global.u64 %rd4, [%rd3];
{ .param .b32 param0; .param .b32 retval0;
st.param.b32 [param0], 7;
prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _);
call (retval0), %rd4, (param0), prototype_0;
ld.param.b32 %r2, [retval0]; }
mad.wide.u32 %rd5, %r1, 4, %rd1; st.global.u32 [%rd5], %r2;)"));
  EXPECT_TRUE(module->kernel("k")->calls_itself);
  EXPECT_THAT(run(*module, "k", 2, 2), ElementsAre(14u, 0xfffffff9u));
}

TEST(Calls, MustMatchTheFunctionsParameters) {
  EXPECT_THAT(refusal_of(twice + kernel("call (%r1), twice, (1, 2);")).message, HasSubstr("number of arguments"));
  EXPECT_THAT(refusal_of(twice + kernel("call twice, (1);")).message, HasSubstr("number of results"));
  EXPECT_THAT(refusal_of(twice + kernel("{ .param .b64 p; call (%r1), twice, (p); }")).message,
              HasSubstr("size differs"));
  EXPECT_THAT(refusal_of(twice + kernel("call (%r1), %rd1, (1);")).message, HasSubstr("prototype"));
}

TEST(Calls, OfFunctionsThatAreNotThereAreRefused) {
  const Refusal refusal = refusal_of(".extern .func missing(.param .b32 x);\n" + kernel("call missing, (1);"));
  EXPECT_EQ(refusal.code, result::invalid_ptx);
  EXPECT_EQ(refusal.line, 12u);
  EXPECT_EQ(refusal.message, "unresolved extern function 'missing'");
}

TEST(Calls, DeclaredFunctionsNeedNoBodyWhereNobodyCallsThem) {
  EXPECT_EQ(refusal_of(".extern .func missing(.param .b32 x);\n" + kernel("ret;")).code, result::success);
}

TEST(Calls, ReachFunctionsThatAreDefinedLater) {
  const auto module = load(".extern .func (.param .b32 result) twice(.param .b32 x);\n" +
                           kernel("call (%r1), twice, (4); st.global.u32 [%rd1], %r1;") + twice);
  EXPECT_THAT(run(*module, "k", 1), ElementsAre(8u));
}

TEST(Calls, OfTheSystemLeaveTheModule) {
  const auto module =
      load(".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n" +
           kernel("call (%rd2), malloc, (16); st.u32 [%rd2], 3; ld.u32 %r1, [%rd2]; call free, (%rd2);"
                  "st.global.u32 [%rd1], %r1;"));
  EXPECT_EQ(module->kernel("k")->function->calls.at(0).system, SystemCall::malloc);
  EXPECT_EQ(module->kernel("k")->function->calls.at(1).system, SystemCall::free);
  EXPECT_THAT(run(*module, "k", 1), ElementsAre(3u));
}

TEST(Calls, LocalBytesAreThoseOfTheDeepestChain) {
  const auto module = load(R"(
.func leaf { .local .align 4 .b8 a[100]; .reg .b32 %r; ld.local.b32 %r, [a]; }
.func middle { .local .align 4 .b8 a[20]; .reg .b32 %r; ld.local.b32 %r, [a]; call leaf; }
.func other { .local .align 4 .b8 a[64]; .reg .b32 %r; ld.local.b32 %r, [a]; }
.entry deep { call middle; call other; }
.entry flat { .local .align 4 .b8 unused[400]; call other; }
)");
  EXPECT_EQ(module->kernel("deep")->local_bytes, 32u + 112u);
  EXPECT_EQ(module->kernel("flat")->local_bytes, 64u);
  EXPECT_FALSE(module->kernel("deep")->calls_itself);
}

TEST(Calls, ParameterVariablesOfCallScopesShareRoom) {
  const std::string scope =
      "{ .param .b32 a; .param .b32 r; st.param.b32 [a], 1; call (r), twice, (a); ld.param.b32 %r1, [r]; }\n";
  const auto one = load(twice + kernel(scope));
  const auto three = load(twice + kernel(scope + scope + scope));
  EXPECT_EQ(one->kernel("k")->function->frame_bytes, three->kernel("k")->function->frame_bytes);
}

TEST(Entries, TakeTheAddressOfAParameter) {
  const auto module = load(R"(
.entry k(.param .u64 out, .param .align 4 .b8 list[16])
{
.reg .b32 %r<4>; .reg .b64 %rd<8>;
ld.param.u64 %rd1, [out];
mov.b64 %rd2, list;
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd4, %rd2, %rd3;
ld.param.b32 %r2, [%rd4];
cvta.param.u64 %rd5, %rd2;
ld.b32 %r3, [%rd5+4];
add.s32 %r2, %r2, %r3;
add.s64 %rd6, %rd1, %rd3;
st.global.b32 [%rd6], %r2;
}
)");
  const Kernel& kernel = *module->kernel("k");
  EXPECT_TRUE(kernel.entry_address);
  ASSERT_EQ(kernel.parameter_bytes, 24u);
  const auto out = device_memory().allocate(16, AllocationKind::device);
  std::vector<std::byte> parameters(24);
  const std::uint32_t list[4] = {1, 20, 300, 4000};
  std::memcpy(parameters.data(), &out->begin, 8);
  std::memcpy(parameters.data() + 8, list, 16);
  ASSERT_FALSE(launch(kernel, parameters, 4));
  EXPECT_EQ(peek<std::uint32_t>(out->begin), 21u);
  EXPECT_EQ(peek<std::uint32_t>(out->begin + 12), 4020u);
  device_memory().release(out->begin);
}

TEST(Entries, CannotBeCalledOrWriteTheirParameters) {
  EXPECT_EQ(refusal_of(".entry other { ret; }\n" + kernel("call other;")).code, result::invalid_ptx);
  EXPECT_EQ(refusal_of(kernel("st.param.u64 [out], %rd1;")).code, result::invalid_ptx);
}

}  // namespace
}  // namespace emulator::testing
