#include "tests/devices/cuda/fake_cublas.hpp"

using convoy::cuda::fake_cublas::Attributes;
using convoy::cuda::fake_cublas::world;

namespace convoy::cuda::fake_cublas {

World& world() {
  static World world;
  return world;
}

}  // namespace convoy::cuda::fake_cublas

namespace {

// Handles and descriptions are opaque: these are theirs.
template <typename Handle>
Handle made() {
  return reinterpret_cast<Handle>(new Attributes);
}
template <typename Handle>
cublasStatus_t ended(Handle handle) {
  delete reinterpret_cast<Attributes*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
template <typename Handle>
const Attributes& told(Handle handle) {
  return *reinterpret_cast<const Attributes*>(handle);
}
template <typename Handle>
cublasStatus_t tell(Handle handle, int attribute, const void* value, std::size_t bytes) {
  reinterpret_cast<Attributes*>(handle)->set(attribute, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

// As many as a grid of a GPU has in its third dimension.
constexpr std::int32_t kMostMatrices = 65535;

std::int32_t matrices_of(cublasLtMatrixLayout_t layout) {
  return told(layout).get<std::int32_t>(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 1);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): cuBLASLt's names.
extern "C" {

std::size_t cublasLtGetVersion() {
  return CUBLAS_VERSION;
}
const char* cublasLtGetStatusString(cublasStatus_t) {
  return "fake";
}
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = made<cublasLtHandle_t>();
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return ended(handle);
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* operation, cublasComputeType_t,
                                        cudaDataType_t) {
  *operation = made<cublasLtMatmulDesc_t>();
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation) {
  return ended(operation);
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t operation,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
  return tell(operation, attribute, value, bytes);
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType,
                                          std::uint64_t, std::uint64_t, std::int64_t) {
  *layout = made<cublasLtMatrixLayout_t>();
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return ended(layout);
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, std::size_t bytes) {
  return tell(layout, attribute, value, bytes);
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = made<cublasLtMatmulPreference_t>();
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return ended(preference);
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes) {
  return tell(preference, attribute, value, bytes);
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t preference, int,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* count) {
  if (matrices_of(a) > kMostMatrices) return CUBLAS_STATUS_NOT_SUPPORTED;
  world().proposed_for = told(operation);
  world().preference = told(preference);
  results[0] = {};
  results[0].state = CUBLAS_STATUS_SUCCESS;
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t operation, const void*,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t, const void*, const void*,
                              cublasLtMatrixLayout_t, void* d, cublasLtMatrixLayout_t,
                              const cublasLtMatmulAlgo_t*, void*, std::size_t, cudaStream_t) {
  world().multiplied = told(operation);
  world().batches.push_back({matrices_of(a_layout), a, b, d});
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
