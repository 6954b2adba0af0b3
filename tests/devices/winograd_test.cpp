#include <gtest/gtest.h>

#include <algorithm>

#include "tests/devices/winograd_case.hpp"

namespace convoy::test {
namespace {

// The worst of these cases is 1.7e-6 on AVX2; a wrong tile or constant gives 1e-2 and more.
constexpr double kTolerance = 2.5e-6;

// Memory aligned to 64 bytes.
class Scratch {
 public:
  explicit Scratch(std::size_t floats) : data_(new (std::align_val_t{64}) float[floats]) {
    std::fill_n(data_, floats, 0.0f);
  }
  ~Scratch() { operator delete[](data_, std::align_val_t{64}); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  float* data() { return data_; }

 private:
  float* data_;
};

struct Computed {
  std::vector<float> result, source_gradient, weights_gradient;
};

Computed compute(const ConvolutionReference& reference, std::size_t threads) {
  const ConvolutionSizes& s = reference.sizes;
  const cpu::WinogradShape shape = s.shape();
  const std::size_t in_pixels = s.height * s.width;
  const std::size_t out_pixels = s.out_height() * s.out_width();
  const auto source = blocked_images(reference.source, s.batch, s.in, in_pixels, s.block);
  const auto gradient = blocked_images(reference.gradient, s.batch, s.out, out_pixels, s.block);
  const auto weights = blocked_weights(reference.weights, s);
  Scratch scratch(std::max({cpu::winograd_forward_scratch(shape, threads),
                            cpu::winograd_backward_data_scratch(shape, threads),
                            cpu::winograd_backward_weights_scratch(shape, threads)}));
  std::vector<float> result(gradient.size());
  std::vector<float> source_gradient(source.size());
  std::vector<float> weights_gradient(weights.size());
  cpu::winograd_forward(shape, source.data(), weights.data(), {}, result.data(), scratch.data(),
                        threads);
  cpu::winograd_backward_data(shape, gradient.data(), weights.data(), source_gradient.data(),
                              scratch.data(), threads);
  cpu::winograd_backward_weights(shape, source.data(), gradient.data(), weights_gradient.data(),
                                 scratch.data(), threads);
  return {plain_images(result, s.batch, s.out, out_pixels, s.block),
          plain_images(source_gradient, s.batch, s.in, in_pixels, s.block),
          plain_weights(weights_gradient, s)};
}

class Winograd : public testing::TestWithParam<ConvolutionSizes> {};

TEST_P(Winograd, AllPassesMatchDirectFloat64) {
  const ConvolutionReference reference(GetParam());
  const Computed computed = compute(reference, 2);
  EXPECT_LT(relative_error(computed.result, reference.result), kTolerance);
  EXPECT_LT(relative_error(computed.source_gradient, reference.source_gradient), kTolerance);
  EXPECT_LT(relative_error(computed.weights_gradient, reference.weights_gradient), kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Winograd,
                         testing::Values(ConvolutionSizes{1, 8, 8, 8, 4, 4, 1, 1, 1, 1},
                                         ConvolutionSizes{1, 8, 5, 3, 1, 1, 1, 1, 1, 1},
                                         ConvolutionSizes{3, 8, 24, 40, 13, 9, 1, 1, 1, 1},
                                         ConvolutionSizes{2, 8, 20, 37, 7, 10, 0, 0, 0, 0},
                                         ConvolutionSizes{2, 8, 16, 16, 6, 11, 2, 1, 0, 2},
                                         ConvolutionSizes{1, 8, 12, 64, 17, 5, 0, 2, 1, 1},
                                         ConvolutionSizes{2, 16, 16, 48, 9, 14, 1, 1, 1, 1},
                                         ConvolutionSizes{1, 16, 33, 17, 7, 7, 2, 2, 2, 2},
                                         ConvolutionSizes{2, 16, 9, 50, 8, 12, 0, 1, 1, 0},
                                         ConvolutionSizes{1, 8, 300, 24, 7, 7, 1, 1, 1, 1},
                                         ConvolutionSizes{1, 8, 24, 300, 6, 6, 1, 1, 1, 1}));

}  // namespace
}  // namespace convoy::test
