// How cuBLASLt is asked for matrix products; a library in its place notes it.
#include "plugins/devices/cuda/libraries/matrix_product.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/devices/cuda/fake_cublas.hpp"

namespace convoy::cuda {
namespace {

using fake_cublas::world;

ProductShape product_of(Type factors, Type result) {
  ProductShape shape{};
  shape.m = shape.n = shape.k = 64;
  shape.factors = factors;
  shape.result = result;
  return shape;
}

std::uint32_t reductions_for(Type factors, Type result) {
  const MatrixProduct product(make_matrix_handle(), product_of(factors, result));
  return world().preference.get<std::uint32_t>(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                                               CUBLASLT_REDUCTION_SCHEME_MASK);
}

TEST(MatrixProducts, AddPartsOfSumsInF32WhereResultsHave16Bits) {
  constexpr std::uint32_t kRounding =
      CUBLASLT_REDUCTION_SCHEME_INPLACE | CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE;
  for (const Type type : {Type::kHalf, Type::kBfloat}) {
    EXPECT_EQ(reductions_for(type, type) & kRounding, 0u);
    EXPECT_NE(reductions_for(type, type) & CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, 0u);
    EXPECT_EQ(reductions_for(type, Type::kFloat), CUBLASLT_REDUCTION_SCHEME_MASK)
        << "all add in f32";
  }
}

TEST(MatrixProducts, ShowTheHeuristicABiasThatIsAlignedTo16BytesAndNoBetter) {
  ProductShape shape = product_of(Type::kFloat, Type::kFloat);
  shape.has_bias = true;
  const MatrixProduct product(make_matrix_handle(), shape);
  const auto* shown =
      world().proposed_for.get<const void*>(CUBLASLT_MATMUL_DESC_BIAS_POINTER, nullptr);
  ASSERT_NE(shown, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(shown) % 32, 16u);
  const std::array<float, 64> bias{};
  product.run(nullptr, nullptr, nullptr, nullptr, bias.data(), nullptr);
  EXPECT_EQ(world().multiplied.get<const void*>(CUBLASLT_MATMUL_DESC_BIAS_POINTER, nullptr),
            bias.data());
}

TEST(MatrixProducts, SayHowMatricesAreAligned) {
  ProductShape shape = product_of(Type::kFloat, Type::kFloat);
  for (const bool aligned : {false, true}) {
    shape.aligned = aligned;
    const MatrixProduct product(make_matrix_handle(), shape);
    for (const int attribute :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
      EXPECT_EQ(world().preference.get<std::uint32_t>(attribute, 256), aligned ? 16u : 4u);
  }
}

// Attention has one per image and head.
TEST(MatrixProducts, OfMoreMatricesThanOneCallTakesAreSeveralCalls) {
  ProductShape shape = product_of(Type::kHalf, Type::kFloat);
  shape.m = 2;
  shape.n = 3;
  shape.k = 4;
  shape.batch = 150000;
  std::vector<std::byte> a_memory(shape.batch * 16), b_memory(shape.batch * 24),
      d_memory(shape.batch * 24);
  std::byte *const a = a_memory.data(), *const b = b_memory.data(), *const d = d_memory.data();
  world().batches.clear();
  MatrixProduct(make_matrix_handle(), shape).run(nullptr, a, b, d, nullptr, nullptr);
  std::uint64_t done = 0;
  for (const fake_cublas::Batch& batch : world().batches) {
    EXPECT_LE(batch.count, 65535);
    EXPECT_EQ(batch.a, a + done * 2 * 4 * 2);
    EXPECT_EQ(batch.b, b + done * 4 * 3 * 2);
    EXPECT_EQ(batch.d, d + done * 2 * 3 * 4);
    done += static_cast<std::uint64_t>(batch.count);
  }
  EXPECT_EQ(done, shape.batch);
}

}  // namespace
}  // namespace convoy::cuda
