# SPDX-License-Identifier: Apache-2.0
"""A function that the library has not: the error names the release that introduced it."""

from __future__ import annotations

import json

from api_table import MODULES, ROOT, extra_rows, prototypes, table
from separate import run_python
from special_functions import BARE_RECORDS, BY_HAND
from test_loader import variant

# Functions of the runtime and of NVRTC that the headers of 12.0 do not declare; of the driver's, the headers say it.
NEWER = {
    "12.1": "cudaGetKernel",
    "12.2": "cudaGraphAddNode cudaGraphExecNodeSetParams cudaGraphNodeSetParams",
    "12.3": "cudaFuncGetName cudaGraphConditionalHandleCreate cudaStreamBeginCaptureToGraph",
    "12.4": "cudaDeviceRegisterAsyncNotification cudaDeviceUnregisterAsyncNotification cudaFuncGetParamInfo",
    "12.5": "cudaGetDriverEntryPointByVersion",
    "12.8": "cudaKernelSetAttributeForDevice cudaLibraryEnumerateKernels cudaLibraryGetGlobal cudaLibraryGetKernel "
            "cudaLibraryGetKernelCount cudaLibraryGetManaged cudaLibraryGetUnifiedFunction cudaLibraryLoadData "
            "cudaLibraryLoadFromFile cudaLibraryUnload cudaMemcpy3DBatchAsync cudaMemcpyBatchAsync cudaStreamGetDevice "
            "nvrtcGetPCHCreateStatus nvrtcGetPCHHeapSize nvrtcGetPCHHeapSizeRequired nvrtcSetFlowCallback "
            "nvrtcSetPCHHeapSize",
    "13.0": "cudaDeviceGetHostAtomicCapabilities cudaDeviceGetP2PAtomicCapabilities cudaLogsCurrent cudaLogsDumpToFile "
            "cudaLogsDumpToMemory cudaLogsRegisterCallback cudaLogsUnregisterCallback "
            "cudaMemDiscardAndPrefetchBatchAsync cudaMemDiscardBatchAsync cudaMemGetDefaultMemPool cudaMemGetMemPool "
            "cudaMemPrefetchBatchAsync cudaMemSetMemPool",
}
# What a library must export to be taken for one of its release.
VERSIONS = {"cuDriverGetVersion", "cudaRuntimeGetVersion", "nvrtcVersion"}
VARIABLES = {"driver": "CUDA_BINDINGS_LIBCUDA", "runtime": "CUDA_BINDINGS_LIBCUDART",
             "nvrtc": "CUDA_BINDINGS_LIBNVRTC"}
NOT_CALLED = {*BARE_RECORDS, *BY_HAND, *VERSIONS}

CODE = """
from api_table import MODULES, extra_rows, table
from call_plan import plan_call
from expectations import OBJECTS
from special_functions import RECORD_RESULTS, SPECIALS, STRING_RESULTS
from cuda_bindings import driver, nvrtc, runtime
from cuda_bindings.errors import FunctionNotFoundError
api = {"driver": driver, "runtime": runtime, "nvrtc": nvrtc}
found = {}
for module in MODULES:
    for row in table()["functions"][module] + extra_rows().get(module, []):
        if row["name"] in NOT_CALLED:
            continue
        if row["name"] in STRING_RESULTS:
            values = {row["arguments"][0]["name"]: 1}
        elif row["name"] in RECORD_RESULTS:
            values = dict(x=8, y=8, z=8, w=8, f=0)
        else:
            values = plan_call(api[module], module, row, OBJECTS, SPECIALS).values
        try:
            getattr(api[module], row["name"])(**values)
        except FunctionNotFoundError as error:
            found[row["name"]] = error.introduced
        except Exception as error:
            found[row["name"]] = repr(error)
import json
print(json.dumps(found))
"""


def facts_since() -> dict[str, str]:
    """Link name -> release, where the header says it."""
    text = (ROOT / "headers-snapshot" / "13.0" / "facts.jsonl").read_text(encoding="utf-8")
    facts = [json.loads(line) for line in text.splitlines()]
    return {fact.get("link", fact["name"]): "{}.{}".format(*fact["since"]) for fact in facts if "since" in fact}


def test_every_function_that_is_missing_names_the_release_that_introduced_it(tmp_path):
    links = {module: {p.link for p in prototypes().values() if p.module == module} for module in MODULES}
    named = {VARIABLES[module]: variant(tmp_path, module, *sorted(links[module] - VERSIONS)) for module in MODULES}
    here = ROOT / "tests" / "python"
    found = json.loads(run_python(CODE.replace("NOT_CALLED", repr(NOT_CALLED)), (here,), **named))
    since = facts_since()
    newer = {name: release for release, names in NEWER.items() for name in names.split()}
    rows = [row["name"] for module in MODULES for row in table()["functions"][module] + extra_rows().get(module, [])]
    expected = {name: since.get(prototypes()[name].link, newer.get(name, ""))
                for name in rows if name not in NOT_CALLED}
    other = {name: (found.get(name), release) for name, release in expected.items() if found.get(name) != release}
    assert not other, json.dumps(other, indent=1)
    assert found.keys() == expected.keys()
