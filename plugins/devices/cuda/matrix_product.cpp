#include "plugins/devices/cuda/matrix_product.hpp"

#include <stdexcept>
#include <string>

#include "plugins/devices/cuda/cublas_library.hpp"

namespace convoy::cuda {
namespace {

cudaDataType_t matrix_type(Type type) {
  switch (type) {
    case Type::kHalf:
      return CUDA_R_16F;
    case Type::kBfloat:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

cublasComputeType_t compute_type(const ProductShape& shape) {
  const bool rounds = shape.factors == Type::kFloat && shape.tf32;
  return rounds ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

cublasLtEpilogue_t epilogue(const ProductShape& shape) {
  if (shape.has_bias) return shape.relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
  return shape.relu ? CUBLASLT_EPILOGUE_RELU : CUBLASLT_EPILOGUE_DEFAULT;
}

std::string text_of(const ProductShape& shape) {
  return std::to_string(shape.m) + " x " + std::to_string(shape.k) + " times " +
         std::to_string(shape.k) + " x " + std::to_string(shape.n);
}

template <typename Value>
void set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute,
         const Value& value) {
  cublas().require(cublas().set_operation(operation, attribute, &value, sizeof value),
                   "describing a matrix product");
}

cublasLtMatrixLayout_t layout(Type type, std::uint64_t rows, std::uint64_t columns) {
  cublasLtMatrixLayout_t result = nullptr;
  cublas().require(cublas().create_layout(&result, matrix_type(type), rows, columns,
                                          static_cast<std::int64_t>(rows)),
                   "describing a matrix");
  return result;
}

}  // namespace

MatrixHandle make_matrix_handle() {
  cublasLtHandle_t handle = nullptr;
  cublas().require(cublas().create(&handle), "starting cuBLASLt");
  return {handle, [](cublasLtContext* it) { static_cast<void>(cublas().destroy(it)); }};
}

MatrixProduct::MatrixProduct(MatrixHandle handle, const ProductShape& shape)
    : handle_(std::move(handle)), has_bias_(shape.has_bias), aligned_(shape.aligned) {
  describe(shape);
  try {
    choose_algorithm();
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string(error.what()) + " for " + text_of(shape));
  }
}

MatrixProduct::~MatrixProduct() {
  for (cublasLtMatrixLayout_t it : {a_, b_, d_})
    if (it != nullptr) static_cast<void>(cublas().destroy_layout(it));
  if (operation_ != nullptr) static_cast<void>(cublas().destroy_operation(operation_));
}

void MatrixProduct::describe(const ProductShape& shape) {
  cublas().require(cublas().create_operation(&operation_, compute_type(shape), CUDA_R_32F),
                   "describing a matrix product");
  set(operation_, CUBLASLT_MATMUL_DESC_TRANSA, shape.transposes_a ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(operation_, CUBLASLT_MATMUL_DESC_TRANSB, shape.transposes_b ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(operation_, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue(shape));
  const auto& s = shape;
  a_ = s.transposes_a ? layout(s.factors, s.k, s.m) : layout(s.factors, s.m, s.k);
  b_ = s.transposes_b ? layout(s.factors, s.n, s.k) : layout(s.factors, s.k, s.n);
  d_ = layout(s.result, s.m, s.n);
}

void MatrixProduct::choose_algorithm() {
  cublasLtMatmulPreference_t preference = nullptr;
  cublas().require(cublas().create_preference(&preference), "choosing an algorithm");
  const std::size_t bytes = kWorkspace;
  cublasStatus_t status = cublas().set_preference(
      preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes);
  // Variables of the model may lie anywhere on four bytes.
  const std::uint32_t alignment = 4;
  for (const auto attribute :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    if (status == CUBLAS_STATUS_SUCCESS && !aligned_)
      status = cublas().set_preference(preference, attribute, &alignment, sizeof alignment);
  }
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  if (status == CUBLAS_STATUS_SUCCESS)
    status = cublas().heuristic(handle_.get(), operation_, a_, b_, d_, d_, preference, 1, &found,
                                &count);
  static_cast<void>(cublas().destroy_preference(preference));
  cublas().require(status, "choosing an algorithm");
  if (count == 0) throw std::runtime_error("cuBLASLt knows no algorithm");
  algorithm_ = found.algo;
}

void MatrixProduct::run(Stream stream, const void* a, const void* b, void* d, const float* bias,
                        void* workspace) const {
  if (has_bias_) set(operation_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  const float one = 1.0f;
  const float zero = 0.0f;
  cublas().require(cublas().matmul(handle_.get(), operation_, &one, a, a_, b, b_, &zero, d, d_, d,
                                   d_, &algorithm_, workspace, kWorkspace, stream),
                   "multiplying matrices");
}

}  // namespace convoy::cuda
