#include "plugins/devices/cuda/libraries/matrix_product.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

#include "plugins/devices/cuda/gpu/device_memory.hpp"
#include "plugins/devices/cuda/gpu/gpu_memory.hpp"
#include "plugins/devices/cuda/gpu/stopwatch.hpp"
#include "plugins/devices/cuda/libraries/algorithm_choice.hpp"
#include "plugins/devices/cuda/libraries/cublas_library.hpp"

namespace convoy::cuda {
namespace {

constexpr int kProductsMeasured = 8;  // candidates, the library's best guesses
constexpr int kProductRuns = 3;
// A grid of a GPU has at most 65535 blocks in its third dimension, and cuBLASLt may use one per
// matrix there.
constexpr std::uint64_t kMostMatrices = 32768;

// An address that is a multiple of 16 but not of 32, such as the address of a bias may be.
alignas(32) constexpr float kSomeBias[8] = {};
const void* const kBiasOfNobody = kSomeBias + 4;

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

ProductShape of_batch(ProductShape shape, std::uint64_t batch) {
  shape.batch = batch;
  return shape;
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

cublasLtMatrixLayout_t layout(Type type, std::uint64_t rows, std::uint64_t columns,
                              std::uint64_t batch) {
  cublasLtMatrixLayout_t result = nullptr;
  cublas().require(cublas().create_layout(&result, matrix_type(type), rows, columns,
                                          static_cast<std::int64_t>(rows)),
                   "describing a matrix");
  if (batch == 1) return result;
  const auto count = static_cast<std::int32_t>(batch);
  const auto distance = static_cast<std::int64_t>(rows * columns);
  cublas().require(
      cublas().set_layout(result, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
      "describing several matrices");
  cublas().require(cublas().set_layout(result, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                       &distance, sizeof distance),
                   "describing several matrices");
  return result;
}

cublasStatus_t prefer(cublasLtMatmulPreference_t preference, const ProductShape& shape) {
  const std::size_t bytes = MatrixProduct::kWorkspace;
  cublasStatus_t status = cublas().set_preference(
      preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes);
  const auto add = [&](cublasLtMatmulPreferenceAttributes_t attribute, std::uint32_t value) {
    if (status == CUBLAS_STATUS_SUCCESS)
      status = cublas().set_preference(preference, attribute, &value, sizeof value);
  };
  // Variables of the model are aligned only to four bytes. By default, cuBLASLt assumes 256 bytes.
  for (const auto attribute :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    add(attribute, shape.aligned ? 16 : 4);
  // Parts of a long sum are added in f32. By default, cuBLASLt may round them to 16 bits first.
  if (shape.result != Type::kFloat)
    add(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
        CUBLASLT_REDUCTION_SCHEME_NONE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
  return status;
}

}  // namespace

MatrixHandle make_matrix_handle() {
  cublasLtHandle_t handle = nullptr;
  {
    const auto turn = memory_turn();
    cublas().require(cublas().create(&handle), "starting cuBLASLt");
  }
  return {handle, [](cublasLtContext* it) {
            const auto turn = memory_turn();
            static_cast<void>(cublas().destroy(it));
          }};
}

std::string key_of(const ProductShape& shape) {
  constexpr const char* kTypes[] = {"f32", "f16", "bf16"};
  std::string key = std::string("product ") + kTypes[static_cast<int>(shape.factors)];
  if (shape.factors == Type::kFloat && shape.tf32) key += "+tf32";
  key += std::string(" to ") + kTypes[static_cast<int>(shape.result)];
  if (shape.has_bias) key += "+bias";
  if (shape.relu) key += "+relu";
  if (!shape.aligned) key += " unaligned";
  key += std::string(" ") + (shape.transposes_a ? "t" : "n") + (shape.transposes_b ? "t" : "n");
  for (const std::uint64_t number : {shape.m, shape.n, shape.k})
    key += " " + std::to_string(number);
  if (shape.batch > 1) key += " times " + std::to_string(shape.batch);
  return key;
}

MatrixProduct::MatrixProduct(MatrixHandle handle, const ProductShape& shape,
                             const ProductTrial* trial)
    : handle_(std::move(handle)),
      shape_(of_batch(shape, std::min(shape.batch, kMostMatrices))),
      calls_(shape.batch / shape_.batch) {
  if (const std::uint64_t left = shape.batch % shape_.batch; left > 0)
    rest_ = std::make_unique<MatrixProduct>(handle_, of_batch(shape, left), trial);
  describe(shape_);
  try {
    const std::vector<cublasLtMatmulAlgo_t> proposed =
        propose(shape_, trial == nullptr ? 1 : kProductsMeasured);
    algorithm_ = proposed.front();
    if (trial != nullptr) measure(shape_, proposed, *trial);
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
  // The heuristic derives the alignment of biases from the address; run() sets the real one.
  if (shape.has_bias) set(operation_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, kBiasOfNobody);
  const auto& s = shape;
  a_ = s.transposes_a ? layout(s.factors, s.k, s.m, s.batch) : layout(s.factors, s.m, s.k, s.batch);
  b_ = s.transposes_b ? layout(s.factors, s.n, s.k, s.batch) : layout(s.factors, s.k, s.n, s.batch);
  d_ = layout(s.result, s.m, s.n, s.batch);
}

// The best guess comes first. The list is the same for the same device and version.
std::vector<cublasLtMatmulAlgo_t> MatrixProduct::propose(const ProductShape& shape,
                                                         int most) const {
  cublasLtMatmulPreference_t preference = nullptr;
  cublas().require(cublas().create_preference(&preference), "choosing an algorithm");
  cublasStatus_t status = prefer(preference, shape);
  std::vector<cublasLtMatmulHeuristicResult_t> found(static_cast<std::size_t>(most));
  int count = 0;
  if (status == CUBLAS_STATUS_SUCCESS)
    status = cublas().heuristic(handle_.get(), operation_, a_, b_, d_, d_, preference, most,
                                found.data(), &count);
  static_cast<void>(cublas().destroy_preference(preference));
  cublas().require(status, "choosing an algorithm");
  std::vector<cublasLtMatmulAlgo_t> proposed;
  for (int i = 0; i < count; ++i)
    if (found[static_cast<std::size_t>(i)].state == CUBLAS_STATUS_SUCCESS)
      proposed.push_back(found[static_cast<std::size_t>(i)].algo);
  if (proposed.empty()) throw std::runtime_error("cuBLASLt knows no algorithm");
  return proposed;
}

// Measures on separate matrices of zeros, because parameters have no values yet. If the trial lacks
// the memory, the best guess is used.
void MatrixProduct::measure(const ProductShape& shape,
                            const std::vector<cublasLtMatmulAlgo_t>& proposed,
                            const ProductTrial& trial) {
  if (proposed.size() == 1) return;
  const std::uint64_t sizes[] = {shape.batch * shape.m * shape.k * bytes_of(shape.factors),
                                 shape.batch * shape.k * shape.n * bytes_of(shape.factors),
                                 shape.batch * shape.m * shape.n * bytes_of(shape.result),
                                 shape.m * 4};
  if (kWorkspace + sizes[0] + sizes[1] + sizes[2] + sizes[3] > trial.most_bytes) return;
  AlgorithmTrials trials;
  for (std::size_t i = 0; i < proposed.size(); ++i)
    trials.candidates.push_back(static_cast<std::int64_t>(i));
  trials.most = proposed.size();
  trials.prepare = [&](std::int64_t candidate) {
    algorithm_ = proposed[static_cast<std::size_t>(candidate)];
    return true;
  };
  // Allocates memory only if the cache does not know the answer.
  std::optional<DeviceMemory> memory[5];
  trials.seconds = [&]() -> std::optional<double> {
    for (std::size_t i = 0; i < 5; ++i)
      if (!memory[i]) memory[i].emplace(i == 4 ? kWorkspace : sizes[i]);
    const void* bias = memory[3]->get();
    if (shape.has_bias) set(operation_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    const auto once = [&] {
      return start(trial.stream, memory[0]->get(), memory[1]->get(), memory[2]->get(),
                   memory[4]->get());
    };
    if (once() != CUBLAS_STATUS_SUCCESS) return std::nullopt;
    Stopwatch watch(trial.stream);
    watch.start();
    for (int i = 0; i < kProductRuns; ++i) cublas().require(once(), "measuring a matrix product");
    return watch.stop();
  };
  const std::string key = trial.gpu + " cublaslt " + std::to_string(cublas().version()) +
                          " f32 sums, workspace " + std::to_string(kWorkspace >> 20) + " " +
                          key_of(shape);
  if (!choose_algorithm(trials, key, trial.cache)) algorithm_ = proposed.front();
}

cublasStatus_t MatrixProduct::start(Stream stream, const void* a, const void* b, void* d,
                                    void* workspace) const {
  const float one = 1.0f;
  const float zero = 0.0f;
  return cublas().matmul(handle_.get(), operation_, &one, a, a_, b, b_, &zero, d, d_, d, d_,
                         &algorithm_, workspace, kWorkspace, stream);
}

void MatrixProduct::run(Stream stream, const void* a, const void* b, void* d, const float* bias,
                        void* workspace) const {
  if (shape_.has_bias) set(operation_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  const auto& s = shape_;
  const auto* a_at = static_cast<const std::byte*>(a);
  const auto* b_at = static_cast<const std::byte*>(b);
  auto* d_at = static_cast<std::byte*>(d);
  for (std::uint64_t call = 0; call < calls_; ++call) {
    cublas().require(start(stream, a_at, b_at, d_at, workspace), "multiplying matrices");
    a_at += s.batch * s.m * s.k * bytes_of(s.factors);
    b_at += s.batch * s.k * s.n * bytes_of(s.factors);
    d_at += s.batch * s.m * s.n * bytes_of(s.result);
  }
  if (rest_) rest_->run(stream, a_at, b_at, d_at, bias, workspace);
}

}  // namespace convoy::cuda
