// SPDX-License-Identifier: Apache-2.0
// A few header lines in, their facts out: one test for each kind of thing that a header can say.
#include <gtest/gtest.h>

#include "extraction.hpp"

namespace bindgen {
namespace {

void expect_facts(const testing::Input& input, const std::string& expected) {
  const auto output = testing::extract(input);
  EXPECT_EQ(testing::texts(output.diagnostics), "");
  EXPECT_EQ(output.jsonl(), expected);
}

void expect_facts(const std::string& header, const std::string& expected) {
  testing::Input input;
  input.headers["cuda.h"] = header;
  expect_facts(input, expected);
}

TEST(Facts, OfAFunctionKeepTypesAsSpelled) {
  expect_facts(
      "typedef unsigned long long cuuint64_t;\n"
      "int cuFoo(const char *const *names, cuuint64_t *sizes, void **data, unsigned count);\n",
      R"({"kind":"typedef","name":"cuuint64_t","module":"driver","type":"unsigned long long"})"
      "\n"
      R"({"kind":"function","name":"cuFoo","link":"cuFoo","module":"driver","returns":"int","params":[)"
      R"({"name":"names","type":"const char *const *","doc":"none"},{"name":"sizes","type":"cuuint64_t *",)"
      R"("doc":"none"},)"
      R"({"name":"data","type":"void **","doc":"none"},{"name":"count","type":"unsigned int","doc":"none"}]})"
      "\n");
}

TEST(Facts, OfAMacroNameKnowTheLinkName) {
  expect_facts(
      "#define cuMemAlloc cuMemAlloc_v2\n"
      "int cuMemAlloc(int **dptr);\n",
      R"({"kind":"function","name":"cuMemAlloc","link":"cuMemAlloc_v2","module":"driver","returns":"int","params":[)"
      R"({"name":"dptr","type":"int **","doc":"none"}],"macro":true})"
      "\n");
}

TEST(Facts, OfAnotherFunctionsNameAreOneFunction) {
  expect_facts(
      "#define cuGraphInstantiate cuGraphInstantiateWithFlags\n"
      "int cuGraphInstantiateWithFlags(int flags);\n",
      R"({"kind":"function","name":"cuGraphInstantiate","link":"cuGraphInstantiateWithFlags","module":"driver",)"
      R"("returns":"int",)"
      R"("params":[{"name":"flags","type":"int","doc":"none"}],"macro":true})"
      "\n");
}

TEST(Facts, KnowThePerThreadTwin) {
  expect_facts(
      "#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM\n"
      "#define PTDS(api) api##_ptds\n"
      "#else\n"
      "#define PTDS(api) api\n"
      "#endif\n"
      "#define cuMemcpy PTDS(cuMemcpy)\n"
      "int cuMemcpy(int size);\n",
      R"({"kind":"function","name":"cuMemcpy","link":"cuMemcpy","module":"driver","returns":"int","params":[)"
      R"({"name":"size","type":"int","doc":"none"}],"ptds":"cuMemcpy_ptds"})"
      "\n");
}

TEST(Facts, MarkPrototypesOfOlderAbisAsInternal) {
  expect_facts(
      "#ifndef __CUDA_API_VERSION_INTERNAL\n"
      "#define cuMemFree cuMemFree_v2\n"
      "#endif\n"
      "int cuMemFree_v2(long pointer);\n"
      "#ifdef __CUDA_API_VERSION_INTERNAL\n"
      "int cuMemFree(int pointer);\n"
      "#endif\n",
      R"({"kind":"function","name":"cuMemFree","link":"cuMemFree_v2","module":"driver","returns":"int","params":[)"
      R"({"name":"pointer","type":"long","doc":"none"}],"macro":true})"
      "\n"
      R"({"kind":"function","name":"cuMemFree","link":"cuMemFree","module":"driver","returns":"int","params":[)"
      R"({"name":"pointer","type":"int","doc":"none"}],"visibility":"internal"})"
      "\n");
}

TEST(Facts, PairReleasesWithLinkNames) {
  testing::Input input;
  input.headers["cuda.h"] = "int cuCtxGetDevice(int *device);\nint cuCtxGetDevice_v2(int *device, int context);\n";
  input.headers["cudaTypedefs.h"] =
      "typedef int (*PFN_cuCtxGetDevice_v2000)(int *);\n"
      "typedef int (*PFN_cuCtxGetDevice_v13000)(int *, int);\n";
  input.since = {"cudaTypedefs.h"};
  const auto output = testing::extract(input);
  EXPECT_EQ(testing::texts(output.diagnostics), "");
  ASSERT_EQ(output.extraction.facts.functions.size(), 2u);
  EXPECT_EQ(output.extraction.facts.functions[0].since, (std::array{2, 0}));
  EXPECT_EQ(output.extraction.facts.functions[1].since, (std::array{13, 0}));
}

TEST(Facts, MarkDeprecatedAndInlineFunctions) {
  expect_facts(
      "__attribute__((deprecated)) int cuOld(void);\n"
      "static __inline__ int cuShort(void) { return 0; }\n",
      R"({"kind":"function","name":"cuOld","link":"cuOld","module":"driver","returns":"int","params":[],)"
      R"("deprecated":true})"
      "\n"
      R"({"kind":"function","name":"cuShort","link":"cuShort","module":"driver","returns":"int","params":[],)"
      R"("inline":true})"
      "\n");
}

TEST(Facts, CallAnEnumByItsFirstTypedef) {
  expect_facts(
      "typedef enum CUmemorytype_enum { CU_MEMORYTYPE_HOST = 0x01, CU_MEMORYTYPE_DEVICE } CUmemorytype;\n"
      "typedef CUmemorytype CUmemorytypeAgain;\n"
      "enum cudaError { cudaSuccess = 0, cudaErrorOdd = -1 };\n"
      "typedef enum cudaError cudaError_t;\n"
      "typedef enum { NVRTC_SUCCESS = 0 } nvrtcResult;\n",
      R"({"kind":"typedef","name":"CUmemorytypeAgain","module":"driver","type":"CUmemorytype"})"
      "\n"
      R"({"kind":"enum","name":"CUmemorytype","tag":"CUmemorytype_enum","module":"driver","underlying":"unsigned int",)"
      R"("values":[["CU_MEMORYTYPE_HOST",1],["CU_MEMORYTYPE_DEVICE",2]]})"
      "\n"
      R"({"kind":"enum","name":"cudaError_t","tag":"cudaError","module":"driver","underlying":"int",)"
      R"("values":[["cudaSuccess",0],["cudaErrorOdd",-1]]})"
      "\n"
      R"({"kind":"enum","name":"nvrtcResult","module":"driver","underlying":"unsigned int",)"
      R"("values":[["NVRTC_SUCCESS",0]]})"
      "\n");
}

TEST(Facts, OfARecordHaveEveryOffset) {
  expect_facts(
      "typedef struct CUpair_st { char tag; long value; char reserved[3]; } CUpair_v1;\n"
      "typedef CUpair_v1 CUpair;\n",
      R"({"kind":"typedef","name":"CUpair","module":"driver","type":"CUpair_v1"})"
      "\n"
      R"({"kind":"typedef","name":"CUpair_v1","module":"driver","type":"struct CUpair_st"})"
      "\n"
      R"({"kind":"record","name":"CUpair_st","module":"driver","size":24,"align":8,"fields":[{"name":"tag",)"
      R"("bits":0,"type":"char"},)"
      R"({"name":"value","bits":64,"type":"long"},{"name":"reserved","bits":128,"type":"char","array":3}]})"
      "\n");
}

TEST(Facts, GiveUnnamedMembersRecordsOfTheirOwn) {
  expect_facts(
      "struct CUdesc_st {\n"
      "  union {\n"
      "    struct { int fd; } handle;\n"
      "    long raw;\n"
      "  } value;\n"
      "  union { int low; float high; };\n"
      "};\n",
      R"({"kind":"record","name":"CUdesc_st","module":"driver","size":16,"align":8,"fields":[)"
      R"({"name":"value","bits":0,"type":"CUdesc_st::value"},{"name":"","bits":64,"type":"CUdesc_st::@0"}]})"
      "\n"
      R"({"kind":"record","name":"CUdesc_st::@0","module":"driver","size":4,"align":4,"fields":[)"
      R"({"name":"low","bits":0,"type":"int"},{"name":"high","bits":0,"type":"float"}],"union":true,"anonymous":true})"
      "\n"
      R"({"kind":"record","name":"CUdesc_st::value","module":"driver","size":8,"align":8,"fields":[)"
      R"({"name":"handle","bits":0,"type":"CUdesc_st::value::handle"},{"name":"raw","bits":0,"type":"long"}],)"
      R"("union":true,"anonymous":true})"
      "\n"
      R"({"kind":"record","name":"CUdesc_st::value::handle","module":"driver","size":4,"align":4,"fields":[)"
      R"({"name":"fd","bits":0,"type":"int"}],"anonymous":true})"
      "\n");
}

TEST(Facts, KeepTheTagDeclaredInsideAUnion) {
  expect_facts(
      "union CUop_union { struct CUwait_st { int flags; } wait; int pad; };\n",
      R"({"kind":"record","name":"CUop_union","module":"driver","size":4,"align":4,"fields":[)"
      R"({"name":"wait","bits":0,"type":"struct CUwait_st"},{"name":"pad","bits":0,"type":"int"}],"union":true})"
      "\n"
      R"({"kind":"record","name":"CUwait_st","module":"driver","size":4,"align":4,"fields":[)"
      R"({"name":"flags","bits":0,"type":"int"}],"nested_in":"CUop_union"})"
      "\n");
}

TEST(Facts, TellHandlesCallbacksAndPointersApart) {
  expect_facts(
      "typedef struct CUstream_st *CUstream;\n"
      "typedef const struct cudaArray *cudaArray_const_t;\n"
      "typedef void (*CUhostFn)(void *userData);\n"
      "typedef void *CUopaque;\n",
      R"({"kind":"typedef","name":"CUopaque","module":"driver","type":"void *"})"
      "\n"
      R"({"kind":"handle","name":"CUstream","module":"driver","tag":"CUstream_st"})"
      "\n"
      R"({"kind":"handle","name":"cudaArray_const_t","module":"driver","tag":"cudaArray","const":true})"
      "\n"
      R"({"kind":"callback","name":"CUhostFn","module":"driver","returns":"void","params":[{"name":"userData",)"
      R"("type":"void *"}]})"
      "\n");
}

TEST(Facts, LetTheCompilerEvaluateConstants) {
  expect_facts(
      "typedef struct CUstream_st *CUstream;\n"
      "enum CUattribute_enum { CU_ATTRIBUTE_PRIORITY = 8 };\n"
      "#define CU_STREAM_LEGACY ((CUstream)0x1)\n"
      "#define CU_PARAM_TR_DEFAULT -1\n"
      "#define CU_SHIFTED (1u << 31)\n"
      "#define CU_NODE_ATTRIBUTE_PRIORITY CU_ATTRIBUTE_PRIORITY\n"
      "#define CUDAAPI\n"
      "#define CU_CALL(name) name()\n",
      R"({"kind":"constant","name":"CU_NODE_ATTRIBUTE_PRIORITY","module":"driver","type":"int","value":8})"
      "\n"
      R"({"kind":"constant","name":"CU_PARAM_TR_DEFAULT","module":"driver","type":"int","value":-1})"
      "\n"
      R"({"kind":"constant","name":"CU_SHIFTED","module":"driver","type":"unsigned int","value":2147483648})"
      "\n"
      R"({"kind":"constant","name":"CU_STREAM_LEGACY","module":"driver","type":"CUstream","value":1})"
      "\n"
      R"({"kind":"handle","name":"CUstream","module":"driver","tag":"CUstream_st"})"
      "\n"
      R"({"kind":"enum","name":"CUattribute_enum","tag":"CUattribute_enum","module":"driver",)"
      R"("underlying":"unsigned int",)"
      R"("values":[["CU_ATTRIBUTE_PRIORITY",8]]})"
      "\n");
}

TEST(Facts, SpellTypesThatAreMacrosAsTheHeaderDoes) {
  expect_facts(
      "typedef enum cudaLaunchAttributeID { cudaLaunchAttributePriority = 8 } cudaLaunchAttributeID;\n"
      "#define cudaStreamAttrID cudaLaunchAttributeID\n"
      "int cuSet(cudaStreamAttrID attr, cudaLaunchAttributeID id);\n",
      R"({"kind":"typedef","name":"cudaStreamAttrID","module":"runtime","type":"cudaLaunchAttributeID"})"
      "\n"
      R"({"kind":"enum","name":"cudaLaunchAttributeID","tag":"cudaLaunchAttributeID","module":"driver",)"
      R"("underlying":"unsigned int",)"
      R"("values":[["cudaLaunchAttributePriority",8]]})"
      "\n"
      R"({"kind":"function","name":"cuSet","link":"cuSet","module":"driver","returns":"int","params":[)"
      R"({"name":"attr","type":"cudaStreamAttrID","doc":"none"},{"name":"id","type":"cudaLaunchAttributeID",)"
      R"("doc":"none"}]})"
      "\n");
}

TEST(Facts, NameTheModuleByTheHeader) {
  testing::Input input;
  input.headers["nvrtc.h"] = "typedef struct _nvrtcProgram *nvrtcProgram;\n";
  input.headers["driver_types.h"] =
      "typedef struct CUuuid_st { char bytes[16]; } CUuuid;\ntypedef struct CUuuid_st cudaUUID_t;\n";
  expect_facts(input, R"({"kind":"typedef","name":"CUuuid","module":"shared","type":"struct CUuuid_st"})"
                      "\n"
                      R"({"kind":"typedef","name":"cudaUUID_t","module":"runtime","type":"struct CUuuid_st"})"
                      "\n"
                      R"({"kind":"handle","name":"nvrtcProgram","module":"nvrtc","tag":"_nvrtcProgram"})"
                      "\n"
                      R"({"kind":"record","name":"CUuuid_st","module":"shared","size":16,"align":1,"fields":[)"
                      R"({"name":"bytes","bits":0,"type":"char","array":16}]})"
                      "\n");
}

TEST(Facts, LeaveOutVectorTypesThatNothingUses) {
  testing::Input input;
  input.headers["vector_types.h"] =
      "#pragma once\nstruct uint3 { unsigned x, y, z; };\nstruct dim3 { unsigned x, y, z; };\ntypedef struct dim3 "
      "dim3;\n";
  input.headers["cuda.h"] = "#include \"vector_types.h\"\nint cuLaunch(dim3 grid);\n";
  input.only_used = {"vector_types.h"};
  const auto output = testing::extract(input);
  EXPECT_EQ(testing::texts(output.diagnostics), "");
  ASSERT_EQ(output.extraction.facts.records.size(), 1u);
  EXPECT_EQ(output.extraction.facts.records[0].name, "dim3");
  EXPECT_EQ(output.extraction.unused, std::vector<std::string>{"uint3"});
}

TEST(Facts, KnowWhereEachEntityStands) {
  const auto output = testing::extract("#define CU_SIZE 64\n\nint cuFoo(void);\n");
  EXPECT_EQ(facts::to_jsonl(output.extraction.positions),
            R"({"kind":"constant","name":"CU_SIZE","header":"cuda.h","line":1})"
            "\n"
            R"({"kind":"function","name":"cuFoo","header":"cuda.h","line":3})"
            "\n");
}

}  // namespace
}  // namespace bindgen
