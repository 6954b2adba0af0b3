#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plugins/devices/cuda/kernels/types.hpp"
#include "plugins/devices/cuda/libraries/algorithm_cache.hpp"

namespace convoy::cuda {

// d <- op(a) op(b) of column-major matrices, op(a) being m x k and op(b) k x n.
struct ProductShape {
  std::uint64_t m, n, k;
  bool transposes_a, transposes_b;
  Type factors;  // of a and b
  Type result;
  bool tf32;                // factors of f32 may be rounded to TF32
  bool has_bias;            // f32 results only: adds bias[row]
  bool relu;                // behind the bias
  bool aligned;             // all pointers to 16 bytes; else to 4
  std::uint64_t batch = 1;  // products of matrices that lie one behind the other
};

// cuBLASLt's handle of one GPU; made on that GPU's thread, shared by its products.
using MatrixHandle = std::shared_ptr<cublasLtContext>;
MatrixHandle make_matrix_handle();

// What an algorithm is chosen for, beside GPU and version of the library.
std::string key_of(const ProductShape& shape);

// Where the candidates of a product are measured.
struct ProductTrial {
  cudaStream_t stream;
  std::uint64_t most_bytes;  // that matrices and workspace may take meanwhile
  std::string gpu;
  AlgorithmCache& cache;
};

// A product whose algorithm is chosen once: of those that the library proposes the fastest,
// measured once per device, library version and shape and kept in the cache; without a trial, or
// where none can be measured, the library's best guess. A batch of more matrices than one call
// takes is several calls.
class MatrixProduct {
 public:
  static constexpr std::size_t kWorkspace = 32 << 20;  // bytes that run() gets

  MatrixProduct(MatrixHandle handle, const ProductShape& shape,
                const ProductTrial* trial = nullptr);
  ~MatrixProduct();
  MatrixProduct(const MatrixProduct&) = delete;
  MatrixProduct& operator=(const MatrixProduct&) = delete;

  // workspace: kWorkspace bytes.
  void run(Stream stream, const void* a, const void* b, void* d, const float* bias,
           void* workspace) const;

 private:
  void describe(const ProductShape& shape);
  std::vector<cublasLtMatmulAlgo_t> propose(const ProductShape& shape, int most) const;
  void measure(const ProductShape& shape, const std::vector<cublasLtMatmulAlgo_t>& proposed,
               const ProductTrial& trial);
  cublasStatus_t start(Stream stream, const void* a, const void* b, void* d, void* workspace) const;

  MatrixHandle handle_;
  ProductShape shape_;                   // of one call
  std::uint64_t calls_;                  // of that shape
  std::unique_ptr<MatrixProduct> rest_;  // of the matrices behind them; null: there are none
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr;
  cublasLtMatrixLayout_t b_ = nullptr;
  cublasLtMatrixLayout_t d_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
};

}  // namespace convoy::cuda
