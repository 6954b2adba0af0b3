// Kernels take 16 bytes of neighbouring channels at a time where the number of channels allows it:
// then they compute what they compute channel by channel. A 17th channel is what does not allow it.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "plugins/devices/cuda/kernels/activation.hpp"
#include "plugins/devices/cuda/kernels/arithmetic.hpp"
#include "plugins/devices/cuda/kernels/batch_norm.hpp"
#include "plugins/devices/cuda/kernels/channel_factors.hpp"
#include "plugins/devices/cuda/kernels/window.hpp"

namespace convoy::cuda {
namespace {

constexpr std::uint32_t kPacked = 16;
constexpr std::uint32_t kSingle = 17;
constexpr Relu kRelu6{true, 6.0f};

// Rows of channels in a type, of which tests look at the first 16.
class Rows {
 public:
  Rows(Type type, std::uint64_t rows, std::uint32_t channels, std::uint32_t seed = 0)
      : type_(type), channels_(channels), bytes_(rows * channels * bytes_of(type)) {
    for (std::uint64_t row = 0; seed != 0 && row < rows; ++row)
      for (std::uint32_t c = 0; c < kPacked; ++c) set(row, c, number(row, c, seed));
  }
  void* data() { return bytes_.data(); }
  float get(std::uint64_t row, std::uint32_t channel) const {
    const std::uint64_t at = row * channels_ + channel;
    if (type_ == Type::kFloat) return reinterpret_cast<const float*>(bytes_.data())[at];
    const auto bits = reinterpret_cast<const std::uint16_t*>(bytes_.data())[at];
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
  }

 private:
  // Eighths from -8 to 8, which bf16 holds.
  static float number(std::uint64_t row, std::uint32_t channel, std::uint32_t seed) {
    std::uint64_t h = (row * 31 + channel) * 2654435761u + seed * 40503u;
    h ^= h >> 15;
    return static_cast<float>(static_cast<int>(h % 129) - 64) / 8.0f;
  }
  void set(std::uint64_t row, std::uint32_t channel, float value) {
    const std::uint64_t at = row * channels_ + channel;
    if (type_ == Type::kFloat)
      reinterpret_cast<float*>(bytes_.data())[at] = value;
    else
      reinterpret_cast<std::uint16_t*>(bytes_.data())[at] =
          static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
  }

  Type type_;
  std::uint32_t channels_;
  std::vector<std::uint8_t> bytes_;
};

void expect_same(const Rows& packed, const Rows& single, std::uint64_t rows, double tolerance) {
  double largest = 0;
  for (std::uint64_t row = 0; row < rows; ++row)
    for (std::uint32_t c = 0; c < kPacked; ++c) {
      ASSERT_NEAR(packed.get(row, c), single.get(row, c), tolerance)
          << "row " << row << ", channel " << c;
      largest = std::max(largest, std::fabs(static_cast<double>(packed.get(row, c))));
    }
  EXPECT_GT(largest, 0) << "nothing was computed";
}

class PacksOf : public testing::TestWithParam<Type> {
 protected:
  double tolerance() const { return GetParam() == Type::kFloat ? 2e-5 : 0.04; }
};

// Calls compute(channels) -> Rows for both numbers of channels.
template <typename Compute>
void compare(std::uint64_t rows, double tolerance, Compute&& compute) {
  expect_same(compute(kPacked), compute(kSingle), rows, tolerance);
}

Windows windows(std::uint32_t channels) {
  return {2, channels, 7, 9, 4, 5, 3, 3, 2, 2, 1, 1};
}
constexpr std::uint64_t kInputs = 2 * 7 * 9;
constexpr std::uint64_t kOutputs = 2 * 4 * 5;

TEST_P(PacksOf, MaxPoolsAndTheirGradients) {
  compare(kOutputs, 0, [](std::uint32_t channels) {
    Rows read(GetParam(), kInputs, channels, 1), write(GetParam(), kOutputs, channels);
    max_pool(nullptr, GetParam(), windows(channels), write.data(), read.data(), nullptr);
    return write;
  });
  compare(kInputs, 0, [](std::uint32_t channels) {
    Rows read(GetParam(), kInputs, channels, 1), result(GetParam(), kOutputs, channels);
    std::vector<std::uint8_t> record(kOutputs * channels);
    max_pool(nullptr, GetParam(), windows(channels), result.data(), read.data(), record.data());
    Rows gradient(GetParam(), kOutputs, channels, 2), write(GetParam(), kInputs, channels, 3);
    max_pool_backward(nullptr, GetParam(), windows(channels), write.data(), gradient.data(),
                      record.data(), true);
    return write;
  });
}

TEST_P(PacksOf, AveragePoolsAndTheirGradients) {
  compare(kOutputs, 0, [](std::uint32_t channels) {
    Rows read(GetParam(), kInputs, channels, 1), write(GetParam(), kOutputs, channels);
    average_pool(nullptr, GetParam(), windows(channels), write.data(), read.data());
    return write;
  });
  compare(kInputs, 0, [](std::uint32_t channels) {
    Rows gradient(GetParam(), kOutputs, channels, 2), write(GetParam(), kInputs, channels, 3);
    average_pool_backward(nullptr, GetParam(), windows(channels), write.data(), gradient.data(),
                          true);
    return write;
  });
}

TEST_P(PacksOf, BiasesAndTheirGradients) {
  constexpr std::uint64_t kRows = 700;
  std::vector<float> bias(kSingle);
  for (std::uint32_t c = 0; c < kSingle; ++c) bias[c] = 0.25f * static_cast<float>(c) - 2.0f;
  compare(kRows, 0, [&](std::uint32_t channels) {
    Rows x(GetParam(), kRows, channels, 4);
    add_bias(nullptr, GetParam(), x.data(), bias.data(), kRelu6, kRows, channels);
    return x;
  });
  compare(1, 1e-4, [](std::uint32_t channels) {
    Rows gradient(GetParam(), kRows, channels, 5), sums(Type::kFloat, 1, channels);
    std::vector<std::uint8_t> scratch(column_sum_scratch(channels));
    column_sums(nullptr, GetParam(), static_cast<float*>(sums.data()), gradient.data(), kRows,
                channels, scratch.data());
    return sums;
  });
}

// Factors lie where the model's variables do: an access of 16 bytes may not begin there.
TEST_P(PacksOf, ScalesOfChannelsWithFactorsAnywhere) {
  constexpr std::uint64_t kRows = 70;
  alignas(64) std::array<float, kSingle + 1> factors{};
  for (std::uint32_t i = 0; i < factors.size(); ++i)
    factors[i] = std::ldexp(1.0f, static_cast<int>(i % 5) - 2);
  for (const std::size_t first : {0, 1})
    compare(kRows, 0, [&](std::uint32_t channels) {
      Rows read(GetParam(), kRows, channels, 13), write(GetParam(), kRows, channels);
      scale_channels(nullptr, {GetParam(), 1, kRows, channels, false}, write.data(), read.data(),
                     factors.data() + first, false);
      EXPECT_EQ(write.get(3, 2), read.get(3, 2) * factors[first + 2]);
      return write;
    });
}

TEST_P(PacksOf, CopiesOfChannels) {
  constexpr std::uint64_t kRows = 50;
  for (const bool adds : {false, true})
    compare(kRows, 0, [adds](std::uint32_t channels) {
      Rows read(GetParam(), kRows, channels, 6), write(GetParam(), kRows, channels, 7);
      copy_channels(nullptr, GetParam(),
                    {write.data(), channels, 8, read.data(), channels, 0, 8, kRows, adds});
      return write;
    });
}

// One pass of a batch norm over enough rows for several chunks.
constexpr std::uint64_t kNormRows = 1237;

struct Norm {
  BatchNormShape shape;
  std::vector<float> gamma, beta, mean, inverse, gamma_gradient, beta_gradient;
  std::vector<std::uint8_t> scratch;
  Rows read, addend, write;

  Norm(Type type, std::uint32_t channels, bool adds)
      : shape{type, kNormRows, channels, 1e-3f},
        gamma(channels, 1.5f),
        beta(channels, 0.25f),
        mean(channels),
        inverse(channels),
        gamma_gradient(channels),
        beta_gradient(channels),
        scratch(batch_norm_scratch(shape)),
        read(type, kNormRows, channels, 8),
        addend(type, kNormRows, channels, 9),
        write(type, kNormRows, channels) {
    batch_norm_forward(nullptr, shape,
                       {read.data(), adds ? addend.data() : nullptr, write.data(), gamma.data(),
                        beta.data(), mean.data(), inverse.data(), nullptr, 0.9f, kRelu6},
                       scratch.data());
  }
  Rows differentiate(bool joins, Rows& gradient) {
    Rows result(shape.type, kNormRows, shape.channels, 11);
    batch_norm_backward(
        nullptr, shape,
        {read.data(), gradient.data(), joins ? addend.data() : nullptr,
         joins ? write.data() : nullptr, result.data(), true, joins, gamma.data(), beta.data(),
         mean.data(), inverse.data(), gamma_gradient.data(), beta_gradient.data(), kRelu6},
        scratch.data());
    return result;
  }
};

TEST_P(PacksOf, BatchNorms) {
  for (const bool adds : {false, true})
    compare(kNormRows, tolerance(),
            [adds](std::uint32_t channels) { return Norm(GetParam(), channels, adds).write; });
}

TEST_P(PacksOf, GradientsOfBatchNorms) {
  for (const bool joins : {false, true}) {
    compare(kNormRows, tolerance(), [joins](std::uint32_t channels) {
      Rows gradient(GetParam(), kNormRows, channels, 10);
      return Norm(GetParam(), channels, joins).differentiate(joins, gradient);
    });
    compare(kNormRows, 0, [joins](std::uint32_t channels) {
      Rows gradient(GetParam(), kNormRows, channels, 10);
      Norm(GetParam(), channels, joins).differentiate(joins, gradient);
      return gradient;  // cut by the relu where it joins
    });
  }
}

TEST_P(PacksOf, CastsHaveTheNumbersOfTheirSource) {
  constexpr std::uint64_t kRows = 3;
  Rows read(Type::kFloat, kRows, kSingle, 12), narrow(GetParam(), kRows, kSingle);
  Rows back(Type::kFloat, kRows, kSingle);
  cast(nullptr, narrow.data(), GetParam(), read.data(), Type::kFloat, kRows * kSingle);
  cast(nullptr, back.data(), Type::kFloat, narrow.data(), GetParam(), kRows * kSingle);
  expect_same(back, read, kRows, 0);
}

INSTANTIATE_TEST_SUITE_P(Types, PacksOf, testing::Values(Type::kFloat, Type::kBfloat),
                         [](const auto& test) {
                           return test.param == Type::kFloat ? "f32" : "bf16";
                         });

TEST(Interleaving, PutsChannelsInnermost) {
  constexpr std::uint64_t kImages = 3, kCells = 300;
  std::vector<float> planes(kImages * 3 * kCells), cells(planes.size());
  for (std::size_t i = 0; i < planes.size(); ++i) planes[i] = static_cast<float>(i);
  interleave(nullptr, cells.data(), Type::kFloat, planes.data(), kImages, kCells, 3);
  for (std::uint64_t image = 0; image < kImages; ++image)
    for (std::uint64_t cell = 0; cell < kCells; ++cell)
      for (std::uint64_t channel = 0; channel < 3; ++channel)
        ASSERT_EQ(cells[(image * kCells + cell) * 3 + channel],
                  planes[(image * 3 + channel) * kCells + cell])
            << image << " " << cell << " " << channel;
}

}  // namespace
}  // namespace convoy::cuda
