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

// d <- op(a) op(b) of column-major matrices; op(a) is m x k and op(b) is k x n.
struct ProductShape {
  std::uint64_t m, n, k;
  bool transposes_a, transposes_b;
  Type factors;  // type of a and b
  Type result;
  bool tf32;                // factors of f32 may be rounded to TF32
  bool has_bias;            // f32 results only: adds bias[row]
  bool relu;                // after the bias
  bool aligned;             // all pointers are aligned to 16 bytes; else to 4
  std::uint64_t batch = 1;  // number of products, whose matrices are consecutive
};

// cuBLASLt's handle of one GPU. It is made on that GPU's thread and shared by its products.
using MatrixHandle = std::shared_ptr<cublasLtContext>;
MatrixHandle make_matrix_handle();

// What the choice of an algorithm depends on, besides GPU and library version.
std::string key_of(const ProductShape& shape);

// How the candidates of a product are measured.
struct ProductTrial {
  cudaStream_t stream;
  std::uint64_t most_bytes;  // limit for matrices and workspace during measuring
  std::string gpu;
  AlgorithmCache& cache;
};

// A product whose algorithm is chosen once: the fastest of those that the library proposes. It is
// measured once per device, library version and shape and kept in the cache. Without a trial, or if
// none can be measured, it is the library's best guess. A batch with more matrices than one call
// supports becomes several calls.
class MatrixProduct {
 public:
  static constexpr std::size_t kWorkspace = 32 << 20;  // bytes of run()'s workspace

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
  ProductShape shape_;                   // shape of one call
  std::uint64_t calls_;                  // number of calls of that shape
  std::unique_ptr<MatrixProduct> rest_;  // product of the remaining matrices; null: there are none
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr;
  cublasLtMatrixLayout_t b_ = nullptr;
  cublasLtMatrixLayout_t d_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
};

}  // namespace convoy::cuda
