// SPDX-License-Identifier: Apache-2.0
// Names of the runtime's errors, and our own words for those that the driver does not have.
#include "runtime/error_names.hpp"

#include "generated/driver_functions.hpp"

namespace emulator::runtime {
namespace {

struct ErrorRow {
  cudaError_t error;
  const char* name;
  const char* text;  // null: the driver words it
};

// clang-format off
constexpr ErrorRow rows[] = {
    {cudaSuccess, "cudaSuccess", nullptr},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", nullptr},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", nullptr},
    {cudaErrorInitializationError, "cudaErrorInitializationError", nullptr},
    {cudaErrorCudartUnloading, "cudaErrorCudartUnloading", nullptr},
    {cudaErrorProfilerDisabled, "cudaErrorProfilerDisabled", nullptr},
    {cudaErrorProfilerNotInitialized, "cudaErrorProfilerNotInitialized", nullptr},
    {cudaErrorProfilerAlreadyStarted, "cudaErrorProfilerAlreadyStarted", nullptr},
    {cudaErrorProfilerAlreadyStopped, "cudaErrorProfilerAlreadyStopped", nullptr},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "a launch with a grid or block size that the device does not take"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "a pitch that is smaller than a row, or larger than the device takes"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "no such symbol"},
    {cudaErrorInvalidHostPointer, "cudaErrorInvalidHostPointer", "not a host address that CUDA knows"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "not a device address"},
    {cudaErrorInvalidTexture, "cudaErrorInvalidTexture", "invalid texture"},
    {cudaErrorInvalidTextureBinding, "cudaErrorInvalidTextureBinding", "invalid texture binding"},
    {cudaErrorInvalidChannelDescriptor, "cudaErrorInvalidChannelDescriptor", "invalid channel descriptor"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "not a direction of a copy"},
    {cudaErrorAddressOfConstant, "cudaErrorAddressOfConstant", "address of constant"},
    {cudaErrorTextureFetchFailed, "cudaErrorTextureFetchFailed", "texture fetch failed"},
    {cudaErrorTextureNotBound, "cudaErrorTextureNotBound", "texture not bound"},
    {cudaErrorSynchronizationError, "cudaErrorSynchronizationError", "synchronization error"},
    {cudaErrorInvalidFilterSetting, "cudaErrorInvalidFilterSetting", "invalid filter setting"},
    {cudaErrorInvalidNormSetting, "cudaErrorInvalidNormSetting", "invalid norm setting"},
    {cudaErrorMixedDeviceExecution, "cudaErrorMixedDeviceExecution", "mixed device execution"},
    {cudaErrorNotYetImplemented, "cudaErrorNotYetImplemented", "not yet implemented"},
    {cudaErrorMemoryValueTooLarge, "cudaErrorMemoryValueTooLarge", "memory value too large"},
    {cudaErrorStubLibrary, "cudaErrorStubLibrary", nullptr},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver", "the driver is older than the runtime"},
    {cudaErrorCallRequiresNewerDriver, "cudaErrorCallRequiresNewerDriver", nullptr},
    {cudaErrorInvalidSurface, "cudaErrorInvalidSurface", "invalid surface"},
    {cudaErrorDuplicateVariableName, "cudaErrorDuplicateVariableName", "duplicate variable name"},
    {cudaErrorDuplicateTextureName, "cudaErrorDuplicateTextureName", "duplicate texture name"},
    {cudaErrorDuplicateSurfaceName, "cudaErrorDuplicateSurfaceName", "duplicate surface name"},
    {cudaErrorDevicesUnavailable, "cudaErrorDevicesUnavailable", nullptr},
    {cudaErrorIncompatibleDriverContext, "cudaErrorIncompatibleDriverContext", "the current context does not fit the runtime"},
    {cudaErrorMissingConfiguration, "cudaErrorMissingConfiguration", "a launch without a configuration"},
    {cudaErrorPriorLaunchFailure, "cudaErrorPriorLaunchFailure", "prior launch failure"},
    {cudaErrorLaunchMaxDepthExceeded, "cudaErrorLaunchMaxDepthExceeded", "launch max depth exceeded"},
    {cudaErrorLaunchFileScopedTex, "cudaErrorLaunchFileScopedTex", "launch file scoped tex"},
    {cudaErrorLaunchFileScopedSurf, "cudaErrorLaunchFileScopedSurf", "launch file scoped surf"},
    {cudaErrorSyncDepthExceeded, "cudaErrorSyncDepthExceeded", "sync depth exceeded"},
    {cudaErrorLaunchPendingCountExceeded, "cudaErrorLaunchPendingCountExceeded", "launch pending count exceeded"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "not a kernel that this device has"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", nullptr},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", nullptr},
    {cudaErrorDeviceNotLicensed, "cudaErrorDeviceNotLicensed", nullptr},
    {cudaErrorSoftwareValidityNotEstablished, "cudaErrorSoftwareValidityNotEstablished", "software validity not established"},
    {cudaErrorStartupFailure, "cudaErrorStartupFailure", "the runtime could not start"},
    {cudaErrorInvalidKernelImage, "cudaErrorInvalidKernelImage", nullptr},
    {cudaErrorDeviceUninitialized, "cudaErrorDeviceUninitialized", nullptr},
    {cudaErrorMapBufferObjectFailed, "cudaErrorMapBufferObjectFailed", nullptr},
    {cudaErrorUnmapBufferObjectFailed, "cudaErrorUnmapBufferObjectFailed", nullptr},
    {cudaErrorArrayIsMapped, "cudaErrorArrayIsMapped", nullptr},
    {cudaErrorAlreadyMapped, "cudaErrorAlreadyMapped", nullptr},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice", nullptr},
    {cudaErrorAlreadyAcquired, "cudaErrorAlreadyAcquired", nullptr},
    {cudaErrorNotMapped, "cudaErrorNotMapped", nullptr},
    {cudaErrorNotMappedAsArray, "cudaErrorNotMappedAsArray", nullptr},
    {cudaErrorNotMappedAsPointer, "cudaErrorNotMappedAsPointer", nullptr},
    {cudaErrorECCUncorrectable, "cudaErrorECCUncorrectable", nullptr},
    {cudaErrorUnsupportedLimit, "cudaErrorUnsupportedLimit", nullptr},
    {cudaErrorDeviceAlreadyInUse, "cudaErrorDeviceAlreadyInUse", nullptr},
    {cudaErrorPeerAccessUnsupported, "cudaErrorPeerAccessUnsupported", nullptr},
    {cudaErrorInvalidPtx, "cudaErrorInvalidPtx", nullptr},
    {cudaErrorInvalidGraphicsContext, "cudaErrorInvalidGraphicsContext", nullptr},
    {cudaErrorNvlinkUncorrectable, "cudaErrorNvlinkUncorrectable", nullptr},
    {cudaErrorJitCompilerNotFound, "cudaErrorJitCompilerNotFound", nullptr},
    {cudaErrorUnsupportedPtxVersion, "cudaErrorUnsupportedPtxVersion", nullptr},
    {cudaErrorJitCompilationDisabled, "cudaErrorJitCompilationDisabled", nullptr},
    {cudaErrorUnsupportedExecAffinity, "cudaErrorUnsupportedExecAffinity", nullptr},
    {cudaErrorUnsupportedDevSideSync, "cudaErrorUnsupportedDevSideSync", nullptr},
    {cudaErrorContained, "cudaErrorContained", nullptr},
    {cudaErrorInvalidSource, "cudaErrorInvalidSource", nullptr},
    {cudaErrorFileNotFound, "cudaErrorFileNotFound", nullptr},
    {cudaErrorSharedObjectSymbolNotFound, "cudaErrorSharedObjectSymbolNotFound", nullptr},
    {cudaErrorSharedObjectInitFailed, "cudaErrorSharedObjectInitFailed", nullptr},
    {cudaErrorOperatingSystem, "cudaErrorOperatingSystem", nullptr},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", nullptr},
    {cudaErrorIllegalState, "cudaErrorIllegalState", nullptr},
    {cudaErrorLossyQuery, "cudaErrorLossyQuery", nullptr},
    {cudaErrorSymbolNotFound, "cudaErrorSymbolNotFound", nullptr},
    {cudaErrorNotReady, "cudaErrorNotReady", nullptr},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", nullptr},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", nullptr},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", nullptr},
    {cudaErrorLaunchIncompatibleTexturing, "cudaErrorLaunchIncompatibleTexturing", nullptr},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled", nullptr},
    {cudaErrorPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled", nullptr},
    {cudaErrorSetOnActiveProcess, "cudaErrorSetOnActiveProcess", nullptr},
    {cudaErrorContextIsDestroyed, "cudaErrorContextIsDestroyed", nullptr},
    {cudaErrorAssert, "cudaErrorAssert", nullptr},
    {cudaErrorTooManyPeers, "cudaErrorTooManyPeers", nullptr},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered", nullptr},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered", nullptr},
    {cudaErrorHardwareStackError, "cudaErrorHardwareStackError", nullptr},
    {cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction", nullptr},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", nullptr},
    {cudaErrorInvalidAddressSpace, "cudaErrorInvalidAddressSpace", nullptr},
    {cudaErrorInvalidPc, "cudaErrorInvalidPc", nullptr},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", nullptr},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge", nullptr},
    {cudaErrorTensorMemoryLeak, "cudaErrorTensorMemoryLeak", nullptr},
    {cudaErrorNotPermitted, "cudaErrorNotPermitted", nullptr},
    {cudaErrorNotSupported, "cudaErrorNotSupported", nullptr},
    {cudaErrorSystemNotReady, "cudaErrorSystemNotReady", nullptr},
    {cudaErrorSystemDriverMismatch, "cudaErrorSystemDriverMismatch", nullptr},
    {cudaErrorCompatNotSupportedOnDevice, "cudaErrorCompatNotSupportedOnDevice", nullptr},
    {cudaErrorMpsConnectionFailed, "cudaErrorMpsConnectionFailed", nullptr},
    {cudaErrorMpsRpcFailure, "cudaErrorMpsRpcFailure", nullptr},
    {cudaErrorMpsServerNotReady, "cudaErrorMpsServerNotReady", nullptr},
    {cudaErrorMpsMaxClientsReached, "cudaErrorMpsMaxClientsReached", nullptr},
    {cudaErrorMpsMaxConnectionsReached, "cudaErrorMpsMaxConnectionsReached", nullptr},
    {cudaErrorMpsClientTerminated, "cudaErrorMpsClientTerminated", nullptr},
    {cudaErrorCdpNotSupported, "cudaErrorCdpNotSupported", nullptr},
    {cudaErrorCdpVersionMismatch, "cudaErrorCdpVersionMismatch", nullptr},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported", nullptr},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated", nullptr},
    {cudaErrorStreamCaptureMerge, "cudaErrorStreamCaptureMerge", nullptr},
    {cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched", nullptr},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined", nullptr},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation", nullptr},
    {cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit", nullptr},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent", nullptr},
    {cudaErrorStreamCaptureWrongThread, "cudaErrorStreamCaptureWrongThread", nullptr},
    {cudaErrorTimeout, "cudaErrorTimeout", nullptr},
    {cudaErrorGraphExecUpdateFailure, "cudaErrorGraphExecUpdateFailure", nullptr},
    {cudaErrorExternalDevice, "cudaErrorExternalDevice", nullptr},
    {cudaErrorInvalidClusterSize, "cudaErrorInvalidClusterSize", nullptr},
    {cudaErrorFunctionNotLoaded, "cudaErrorFunctionNotLoaded", nullptr},
    {cudaErrorInvalidResourceType, "cudaErrorInvalidResourceType", nullptr},
    {cudaErrorInvalidResourceConfiguration, "cudaErrorInvalidResourceConfiguration", nullptr},
    {cudaErrorUnknown, "cudaErrorUnknown", nullptr},
    {cudaErrorApiFailureBase, "cudaErrorApiFailureBase", "api failure base"},
};
// clang-format on

const ErrorRow* find(cudaError_t error) noexcept {
  for (const ErrorRow& row : rows) {
    if (row.error == error) return &row;
  }
  return nullptr;
}

}  // namespace

const char* error_name(cudaError_t error) noexcept {
  const ErrorRow* const row = find(error);
  return row == nullptr ? "unrecognized error code" : row->name;
}

const char* error_text(cudaError_t error) noexcept {
  const ErrorRow* const row = find(error);
  if (row != nullptr && row->text != nullptr) return row->text;
  const char* text = nullptr;
  const CUresult status = cuGetErrorString(static_cast<CUresult>(static_cast<int>(error)), &text);
  return status == CUDA_SUCCESS && text != nullptr ? text : "unrecognized error code";
}

}  // namespace emulator::runtime
