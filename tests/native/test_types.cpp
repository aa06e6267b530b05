// SPDX-License-Identifier: Apache-2.0
// The engine for handles, records and enumerations as generated functions use it, and the tables that it reads.
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "embedded_python.hpp"
#include "native/handle.hpp"
#include "native/record.hpp"

namespace cuda_bindings::testing {

namespace {

std::uint64_t handle(const std::string& expression, int type) {
  return as_handle(eval(expression).get(), type, "cuFunction", "parameter");
}

int enumeration(const std::string& expression, int type) {
  return as_enumeration(eval(expression).get(), type, "cuFunction", "parameter");
}

}  // namespace

// ---- tables ----

TEST(Tables, NameEveryClassOfAModuleOnce) {
  std::set<std::pair<int, std::string>> names;
  std::size_t count = 0;
  for (int id = 0; id < HANDLE_COUNT; ++id, ++count) names.emplace(handle_rows[id].module, handle_rows[id].name);
  for (int id = 0; id < RECORD_COUNT; ++id, ++count) names.emplace(record_rows[id].module, record_rows[id].name);
  for (int id = 0; id < ENUM_COUNT; ++id, ++count)
    names.emplace(enumeration_rows[id].module, enumeration_rows[id].name);
  EXPECT_EQ(names.size(), count);
}

TEST(Tables, KeepMembersInsideTheirRecord) {
  for (int id = 0; id < RECORD_COUNT; ++id) {
    const RecordRow& row = record_rows[id];
    EXPECT_EQ(row.size % row.align, 0u) << row.name;
    for (int i = 0; i < row.field_count; ++i) EXPECT_LT(row.fields[i].offset, row.size) << row.name;
  }
}

TEST(Tables, GiveTypedefsTheSizeOfTheirTag) {
  for (int id = 0; id < RECORD_COUNT; ++id) {
    if (record_rows[id].base == NO_TYPE) continue;
    EXPECT_EQ(record_rows[id].field_count, 0) << record_rows[id].name;
    EXPECT_EQ(record_rows[id].size, record_rows[record_tag(id)].size) << record_rows[id].name;
  }
}

TEST(Tables, KnowEveryHandlesKindAtCompileTime) {
  static_assert(HANDLE_KINDS[HANDLE_CUdevice] == HandleKind::signed32);
  for (int id = 0; id < HANDLE_COUNT; ++id) EXPECT_EQ(HANDLE_KINDS[id], handle_rows[id].kind) << handle_rows[id].name;
}

// ---- handles ----

TEST(Handles, AreReadAsWideAsTheirCType) {
  EXPECT_EQ(handle("driver.CUstream(2**64 - 1)", HANDLE_CUstream), UINT64_MAX);
  EXPECT_EQ(static_cast<int>(handle("driver.CUdevice(-2)", HANDLE_CUdevice)), -2);
  EXPECT_EQ(handle("driver.cuuint32_t(2**32 - 1)", HANDLE_cuuint32_t), UINT32_MAX);
}

TEST(Handles, TakeTwinsNumbersAndNone) {
  EXPECT_EQ(handle("runtime.cudaStream_t(5)", HANDLE_CUstream), 5u);
  EXPECT_EQ(handle("driver.CUstream(6)", HANDLE_cudaStream_t), 6u);
  EXPECT_EQ(handle("driver.CUkernel(7)", HANDLE_CUfunction), 7u);
  EXPECT_EQ(handle("8", HANDLE_CUstream), 8u);
  EXPECT_EQ(handle("None", HANDLE_CUstream), 0u);
  EXPECT_EQ(PyErr_Occurred(), nullptr);
}

TEST(Handles, RefuseWhatAnotherParameterTakes) {
  EXPECT_EQ(handle("driver.CUdeviceptr(1)", HANDLE_CUstream), HANDLE_ERROR);
  EXPECT_TRUE(
      raised("TypeError", "cuFunction(): parameter 'parameter': got cuda_bindings.driver.CUdeviceptr; accepts "));
  EXPECT_EQ(handle("None", HANDLE_CUdevice), HANDLE_ERROR);
  EXPECT_TRUE(raised("TypeError", "got None; accepts CUdevice"));
  EXPECT_EQ(handle("True", HANDLE_CUstream), HANDLE_ERROR);
  EXPECT_TRUE(raised("TypeError", "got True"));
  EXPECT_EQ(handle("-1", HANDLE_CUdeviceptr), HANDLE_ERROR);
  EXPECT_TRUE(raised("OverflowError", "got int -1"));
  EXPECT_EQ(handle("2**31", HANDLE_CUdevice), HANDLE_ERROR);
  EXPECT_TRUE(raised("OverflowError", "-2147483648..2147483647"));
}

TEST(Handles, MayLookLikeTheErrorValue) {
  EXPECT_EQ(handle("driver.CUstream(0xFFFFFFFFFFFFFF01)", HANDLE_CUstream), HANDLE_ERROR);
  EXPECT_EQ(PyErr_Occurred(), nullptr);
}

TEST(Handles, PointToTheirSlot) {
  run("program = nvrtc.nvrtcProgram(9)");
  const auto address = [](const std::string& expression, bool in_place) {
    const Reference object = eval(expression);
    return in_place ? as_handle_slot(object.get(), HANDLE_nvrtcProgram, "f", "p")
                    : as_handle_pointer(object.get(), HANDLE_nvrtcProgram, "f", "p");
  };
  *static_cast<std::uint64_t*>(address("program", false)) = 10;
  EXPECT_TRUE(holds("int(program) == 10"));
  EXPECT_EQ(address("0x1000", false), reinterpret_cast<void*>(0x1000));
  EXPECT_EQ(address("None", true), nullptr);
  EXPECT_EQ(PyErr_Occurred(), nullptr);
  EXPECT_EQ(address("0x1000", true), nullptr);
  EXPECT_TRUE(raised("TypeError", "accepts nvrtcProgram or None"));
  EXPECT_EQ(address("driver.CUstream()", false), nullptr);
  EXPECT_TRUE(raised("TypeError", "got cuda_bindings.driver.CUstream"));
}

TEST(Handles, KeepWhatTheyAreAskedToKeep) {
  run("import weakref\nclass Kept: pass\nstate, kept = driver.CUlinkState(1), Kept()\nseen = weakref.ref(kept)");
  ASSERT_EQ(handle_keep(eval("state").get(), eval("kept").get()), 0);
  ASSERT_EQ(handle_keep(eval("state").get(), eval("[kept]").get()), 0);
  run("del kept");
  EXPECT_TRUE(holds("seen() is not None"));
  run("del state");
  EXPECT_TRUE(holds("seen() is None"));
}

TEST(Handles, ComeBackInLists) {
  const std::int32_t devices[] = {0, -1, 7};
  EXPECT_TRUE(
      is(Reference(handle_list_new(HANDLE_CUdevice, devices, 3)), "it == [driver.CUdevice(i) for i in (0, -1, 7)]"));
  EXPECT_TRUE(is(Reference(handle_list_new(HANDLE_CUdevice, nullptr, 0)), "it == []"));
}

// ---- records ----

TEST(Records, AreTheirMemory) {
  run("location = driver.CUmemLocation(); location.id = 3");
  const Reference location = eval("location");
  void* data = as_record(location.get(), RECORD_CUmemLocation, false, "f", "p");
  EXPECT_EQ(static_cast<std::int32_t*>(data)[1], 3);
  EXPECT_EQ(data, record_data(location.get()));
}

TEST(Records, TakeNoneOnlyWhereItMeansNull) {
  EXPECT_EQ(as_record(eval("None").get(), RECORD_CUmemLocation, true, "f", "p"), nullptr);
  EXPECT_EQ(PyErr_Occurred(), nullptr);
  EXPECT_EQ(as_record(eval("None").get(), RECORD_CUmemLocation, false, "f", "p"), nullptr);
  EXPECT_TRUE(raised("TypeError", "f(): parameter 'p': got None; accepts CUmemLocation"));
  EXPECT_EQ(as_record(eval("runtime.dim3()").get(), RECORD_CUmemLocation, true, "f", "p"), nullptr);
  PyErr_Clear();
}

TEST(Records, TakeDerivedClassesButNoBases) {
  EXPECT_NE(as_record(eval("driver.CUmemLocation()").get(), RECORD_CUmemLocation_st, false, "f", "p"), nullptr);
  EXPECT_EQ(as_record(eval("driver.CUmemLocation_st()").get(), RECORD_CUmemLocation, false, "f", "p"), nullptr);
  EXPECT_TRUE(raised("TypeError", "accepts CUmemLocation"));
}

TEST(Records, AreCopiedOutOfCMemory) {
  const std::uint32_t sizes[] = {4, 5, 6, 7, 8, 9};
  EXPECT_TRUE(is(Reference(record_copy(RECORD_dim3, sizes)), "(it.x, it.y, it.z) == (4, 5, 6)"));
  EXPECT_TRUE(is(Reference(record_list_new(RECORD_dim3, sizes, 2)), "[d.z for d in it] == [6, 9]"));
  EXPECT_TRUE(is(Reference(record_new(RECORD_dim3)), "(it.x, it.y, it.z) == (1, 1, 1)"));
}

// ---- enumerations ----

TEST(Enumerations, AreReadFromMembersAndNumbers) {
  EXPECT_EQ(enumeration("driver.CUmemorytype(2)", ENUM_CUmemorytype), 2);
  EXPECT_EQ(enumeration("2", ENUM_CUmemorytype), 2);
  EXPECT_EQ(enumeration("9999", ENUM_CUmemorytype), 9999);
  EXPECT_EQ(enumeration("driver.CUstreamAttrID(2)", ENUM_CUlaunchAttributeID), 2);
  EXPECT_EQ(enumeration("2**32 - 1", ENUM_CUmemorytype), -1);
  EXPECT_EQ(PyErr_Occurred(), nullptr);
}

TEST(Enumerations, RefuseMembersOfAnotherType) {
  EXPECT_EQ(enumeration("driver.CUresult(1)", ENUM_CUmemorytype), -1);
  EXPECT_TRUE(raised("TypeError", "got CUresult; accepts CUmemorytype or an integer"));
  EXPECT_EQ(enumeration("driver.CUdevice(1)", ENUM_CUmemorytype), -1);
  EXPECT_TRUE(raised("TypeError", "got cuda_bindings.driver.CUdevice"));
}

TEST(Enumerations, GiveTheClasssOwnMemberOrOneBesideIt) {
  EXPECT_TRUE(is(Reference(enumeration_member(ENUM_CUresult, 0)), "it is driver.CUresult.CUDA_SUCCESS"));
  EXPECT_TRUE(is(Reference(enumeration_member(ENUM_CUresult, 12345)),
                 "isinstance(it, driver.CUresult) and it == 12345 and it.name == 'CUresult(12345)'"));
  EXPECT_TRUE(is(Reference(enumeration_member(ENUM_CUresult, -1)), "it == 2**32 - 1"));
  EXPECT_TRUE(is(Reference(enumeration_class(ENUM_CUresult)), "it is driver.CUresult"));
}

// ---- modules ----

TEST(Modules, AnswerForTheirNamesOnly) {
  EXPECT_TRUE(holds("driver.CUDA_VERSION == 13000"));
  EXPECT_TRUE(holds("runtime.CUuuid is not driver.CUuuid"));
  const Reference names(module_names(LIBRARY_NVRTC));
  EXPECT_TRUE(is(names, "it == sorted(it) and 'nvrtcProgram' in it and 'CUstream' not in it"));
  const Reference missing(PyUnicode_FromString("cudaStream_t"));
  EXPECT_EQ(module_attribute(LIBRARY_DRIVER, missing.get()), nullptr);
  EXPECT_TRUE(raised("AttributeError", "module 'cuda_bindings.driver' has no attribute 'cudaStream_t'"));
}

TEST(Modules, GiveEveryThreadTheSameClass) {
  std::vector<PyObject*> found(8);
  PyThreadState* state = PyEval_SaveThread();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&found, i] {
      const PyGILState_STATE held = PyGILState_Ensure();
      found[i] = enumeration_class(ENUM_cudaDeviceAttr);
      PyGILState_Release(held);
    });
  }
  for (std::thread& thread : threads) thread.join();
  PyEval_RestoreThread(state);
  for (PyObject* cls : found) {
    EXPECT_EQ(cls, found[0]);
    Py_XDECREF(cls);
  }
}

}  // namespace cuda_bindings::testing
