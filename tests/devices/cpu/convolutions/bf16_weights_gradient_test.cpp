#include "plugins/devices/cpu/onednn.hpp"
#include "tests/devices/cpu/convolutions/bf16_operands.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace convoy::cpu {

namespace {

// Source, result, kernel, strides, padding at the top and left; batch, channels of both.
const ConvolutionShape kBf16Cases[] = {
    {{1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, 1, 16, 16, 0},        // a single pixel
    {{5, 5, 5, 5, 1, 1, 1, 1, 0, 0}, 1, 16, 16, 0},        // fewer pixels than a step
    {{7, 7, 7, 7, 1, 1, 1, 1, 0, 0}, 3, 48, 80, 0},        // odd numbers of blocks and pixels
    {{17, 16, 17, 16, 1, 1, 1, 1, 0, 0}, 2, 32, 64, 0},    //
    {{14, 14, 14, 14, 1, 1, 1, 1, 0, 0}, 16, 64, 16, 0},   // several parts
    {{64, 65, 64, 65, 1, 1, 1, 1, 0, 0}, 2, 32, 48, 0},    // parts of several chunks
    {{9, 9, 9, 9, 1, 1, 1, 1, 0, 0}, 2, 288, 272, 0},      // several tiles, the last ones narrow
    {{9, 11, 5, 6, 1, 1, 2, 2, 0, 0}, 2, 32, 48, 0},       //
    {{8, 8, 4, 4, 1, 1, 2, 2, 0, 0}, 3, 16, 32, 0},        //
    {{1, 6, 1, 2, 1, 1, 3, 3, 0, 0}, 2, 16, 16, 0},        //
    {{6, 6, 8, 8, 1, 1, 1, 1, 1, 1}, 2, 16, 16, 0},        // padded 1x1
    {{14, 14, 7, 7, 3, 3, 2, 2, 1, 1}, 5, 32, 48, 0},      //
    {{14, 15, 7, 8, 3, 3, 2, 2, 0, 1}, 2, 16, 16, 0},      //
    {{14, 14, 7, 7, 3, 3, 2, 2, 0, 0}, 2, 16, 16, 0},      // padded below only, as SAME is
    {{7, 7, 7, 7, 3, 3, 1, 1, 1, 1}, 1, 48, 80, 0},        //
    {{7, 7, 7, 7, 3, 3, 1, 1, 1, 1}, 9, 32, 32, 0},        //
    {{30, 29, 30, 29, 3, 3, 1, 1, 1, 1}, 2, 16, 32, 0},    //
    {{94, 95, 47, 48, 3, 3, 2, 2, 1, 1}, 2, 48, 16, 0},    // parts of several chunks
    {{9, 8, 7, 6, 3, 3, 1, 1, 0, 0}, 2, 16, 16, 0},        // without padding
    {{10, 10, 10, 10, 3, 3, 1, 1, 1, 1}, 2, 144, 144, 0},  // several tiles
    {{17, 17, 17, 17, 1, 7, 1, 1, 0, 3}, 2, 16, 32, 0},    //
    {{17, 17, 17, 17, 7, 1, 1, 1, 3, 0}, 2, 16, 32, 0},    //
    {{30, 31, 30, 31, 5, 5, 1, 1, 2, 2}, 1, 16, 16, 0},    //
    {{2, 3, 2, 3, 5, 5, 1, 1, 2, 2}, 2, 16, 16, 0},        // a filter larger than the image
    {{23, 20, 4, 4, 11, 11, 4, 4, 2, 3}, 1, 16, 16, 0},    //
    {{9, 12, 9, 4, 3, 5, 1, 3, 1, 1}, 2, 16, 16, 0},       // different strides
};

void expect_bf16_weights(const Bf16BlockOperands& operands) {
  const ConvolutionShape& shape = operands.shape();
  for (std::size_t o = 0; o < shape.out_channels; o += 7) {
    for (std::size_t i = 0; i < shape.in_channels; i += 5) {
      for (std::size_t y = 0; y < shape.kernel_height; ++y) {
        for (std::size_t x = 0; x < shape.kernel_width; ++x) {
          const ExpectedSum expected = expected_sum(operands, o, i, y, x);
          ASSERT_NEAR(operands.weight(o, i, y, x), expected.value(), expected.bound())
              << shape << " at " << o << ',' << i << ',' << y << ',' << x;
        }
      }
    }
  }
}

class Bf16Weights : public testing::TestWithParam<ConvolutionShape> {
 protected:
  void SetUp() override {
    if (bf16_kernels() == nullptr) {
      GTEST_SKIP() << "no bf16 products, or the system or oneDNN's limit forbids them";
    }
  }
};

TEST_P(Bf16Weights, AreThoseOfADirectSumInDoublePrecision) {
  Bf16BlockOperands operands(GetParam());
  operands.run(2);
  expect_bf16_weights(operands);
}

TEST_P(Bf16Weights, SumTheBias) {
  expect_sums_of_bias<Bf16WeightsGradient>(GetParam());
}

TEST_P(Bf16Weights, AreTheSameForAnyNumberOfThreads) {
  expect_same_for_any_threads<Bf16WeightsGradient>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Shapes, Bf16Weights, testing::ValuesIn(kBf16Cases));

// A product of matrices by oneDNN, which uses tile registers in a configuration of its own.
class LibraryProduct {
 public:
  LibraryProduct() {
    source_.set_data_handle(source_values_.data());
    weights_.set_data_handle(weights_values_.data());
    result_.set_data_handle(result_values_.data());
  }

  std::vector<float> run() {
    result_values_.assign(result_values_.size(), NAN);
    product_.execute(
        stream_, {{DNNL_ARG_SRC, source_}, {DNNL_ARG_WEIGHTS, weights_}, {DNNL_ARG_DST, result_}});
    stream_.wait();
    return result_values_;
  }

 private:
  static dnnl::memory::desc matrix(dnnl::memory::dim rows, dnnl::memory::dim columns,
                                   dnnl::memory::data_type type) {
    return {{rows, columns}, type, dnnl::memory::format_tag::ab};
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::memory::desc source_desc_ = matrix(50, 72, dnnl::memory::data_type::bf16);
  dnnl::memory::desc weights_desc_ = matrix(72, 40, dnnl::memory::data_type::bf16);
  dnnl::memory::desc result_desc_ = matrix(50, 40, dnnl::memory::data_type::f32);
  dnnl::matmul product_{
      cpu::describe<dnnl::matmul>(engine_, {}, source_desc_, weights_desc_, result_desc_)};
  dnnl::memory source_{source_desc_, engine_, nullptr};
  dnnl::memory weights_{weights_desc_, engine_, nullptr};
  dnnl::memory result_{result_desc_, engine_, nullptr};
  std::vector<Bf16> source_values_ = some_values(50 * 72, 3),
                    weights_values_ = some_values(72 * 40, 5);
  std::vector<float> result_values_ = std::vector<float>(50 * 40);
};

TEST(Bf16Tiles, AreSharedWithOneDnnInTurns) {
  if (bf16_kernels() == nullptr) GTEST_SKIP() << "no bf16 products";
  LibraryProduct library;
  Bf16BlockOperands operands(kBf16Cases[2]);
  const std::vector<float> expected = library.run();
  operands.run(2);
  const std::vector<float> weights = operands.weights();
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_EQ(library.run(), expected) << turn;
    operands.run(2);
    ASSERT_EQ(operands.weights(), weights) << turn;
  }
}

TEST(Bf16WeightsSuit, OnlyWholeBlocksOfChannels) {
  ConvolutionShape shape = kBf16Cases[10];
  shape.in_channels = 24;
  EXPECT_FALSE(Bf16WeightsGradient::suits(shape));
  shape = kBf16Cases[10];
  shape.out_channels = 8;
  EXPECT_FALSE(Bf16WeightsGradient::suits(shape));
}

}  // namespace
}  // namespace convoy::cpu
