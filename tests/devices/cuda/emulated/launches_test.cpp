// What a GPU refuses or leaves open is refused and mixed up by the emulation; and the kernels are
// launched within those limits for all sizes that a GPU has memory for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "plugins/devices/cuda/kernels/activation.hpp"
#include "plugins/devices/cuda/kernels/algebra.hpp"
#include "plugins/devices/cuda/kernels/arithmetic.hpp"
#include "plugins/devices/cuda/kernels/batch_norm.hpp"
#include "plugins/devices/cuda/kernels/channel_factors.hpp"
#include "plugins/devices/cuda/kernels/compression.hpp"
#include "plugins/devices/cuda/kernels/layer_norm.hpp"
#include "plugins/devices/cuda/kernels/loss.hpp"
#include "plugins/devices/cuda/kernels/row_softmax.hpp"
#include "plugins/devices/cuda/kernels/window.hpp"
#include "tests/devices/cuda/emulated/emulated_streams.hpp"
#include "tests/devices/cuda/emulated/emulation.hpp"

namespace convoy::cuda::launches_test {
namespace {

using testing::ElementsAre;

// A launch of a kernel of one thread that counts.
int launched(dim3 grid, dim3 block, std::size_t shared, CUstream_st* stream = nullptr) {
  int ran = 0;
  emulation::launch<false>(grid, block, shared, stream, [&ran] { ran = 1; });
  return ran;
}

TEST(EmulatedLaunch, IsRefusedWhereAGpuRefusesIt) {
  EXPECT_EQ(launched({1, 65535, 1}, {1, 1, 1}, 48 << 10), 1);
  EXPECT_EQ(emulation::take_last_error(), cudaSuccess);
  for (const auto& [grid, block] : std::vector<std::pair<dim3, dim3>>{{{0, 1, 1}, {1, 1, 1}},
                                                                      {{1, 65536, 1}, {1, 1, 1}},
                                                                      {{1, 1, 65536}, {1, 1, 1}},
                                                                      {{1, 1, 1}, {1025, 1, 1}},
                                                                      {{1, 1, 1}, {32, 33, 1}},
                                                                      {{1, 1, 1}, {1, 1, 65}},
                                                                      {{1, 1, 1}, {1, 0, 1}}}) {
    EXPECT_EQ(launched(grid, block, 0), 0);
    EXPECT_EQ(emulation::take_last_error(), cudaErrorInvalidConfiguration);
    EXPECT_EQ(emulation::take_last_error(), cudaSuccess) << "it is told once";
  }
  EXPECT_EQ(launched({1, 1, 1}, {1, 1, 1}, (48 << 10) + 1), 0);
  EXPECT_EQ(emulation::take_last_error(), cudaErrorInvalidValue);
}

TEST(EmulatedLaunch, IsRefusedOnAStreamOfAnotherGpu) {
  CUstream_st stream;
  stream.gpu = 1;
  EXPECT_EQ(launched({1, 1, 1}, {1, 1, 1}, 0, &stream), 0);
  EXPECT_EQ(emulation::take_last_error(), cudaErrorInvalidResourceHandle);
}

// What threads read of each other without waiting for each other.
TEST(EmulatedLaunch, ShowsThatThreadsDoNotWaitForEachOther) {
  std::vector<int> orders;
  for (int launch = 0; launch < 2; ++launch)
    emulation::launch<false>(dim3(1), dim3(2), 0, nullptr, [&orders] {
      orders.push_back(static_cast<int>(emulation::thread_index.x));
    });
  EXPECT_THAT(orders, testing::AnyOf(ElementsAre(0, 1, 1, 0), ElementsAre(1, 0, 0, 1)));
  orders.clear();
  emulation::launch<true>(dim3(1), dim3(2), 0, nullptr, [&orders] {
    orders.push_back(static_cast<int>(emulation::thread_index.x));
    emulation::meet();
    orders.push_back(static_cast<int>(emulation::thread_index.x));
  });
  EXPECT_THAT(orders, ElementsAre(0, 1, 1, 0));
}

TEST(EmulatedAccessDeathTest, OfBytesThatAreNotAligned) {
  alignas(16) float numbers[12] = {};
  ChannelCopy copy{};
  copy.write = numbers;
  copy.read = numbers + 5;
  copy.channels = copy.write_channels = copy.read_channels = 4;
  copy.rows = 1;
  EXPECT_DEATH(copy_channels(nullptr, Type::kFloat, copy), "channel_rows.cuh:.* not aligned");
}

// What the kernels that compute() starts would do, none of which a GPU refuses.
emulation::Recording recorded(const std::function<void(Stream)>& compute) {
  CUstream_st stream;
  emulation::Recording work;
  emulation::begin_capture(&stream);
  compute(&stream);
  EXPECT_EQ(emulation::end_capture(&stream, work), cudaSuccess);
  EXPECT_EQ(emulation::take_last_error(), cudaSuccess);
  return work;
}

// More than a grid has rows. The launches for the last three of them are run.
TEST(ManyImages, HaveGradientsOfTheirFactors) {
  constexpr std::uint64_t kImages = 65535 + 3, kChannels = 4;
  const FactoredShape shape{Type::kFloat, kImages, 2, kChannels, true};
  std::vector<float> read(shape.rows() * kChannels), gradient(read.size(), 3.0f);
  std::vector<float> write(kImages * kChannels, 1.0f);
  std::vector<double> scratch(factor_scratch(shape) / sizeof(double));
  for (std::uint64_t i = 0; i < read.size(); ++i) {
    const std::uint64_t image = i / kChannels / 2;
    read[i] = static_cast<float>(image);
  }
  const emulation::Recording work = recorded([&](Stream stream) {
    factor_gradients(stream, shape, write.data(), gradient.data(), read.data(), true,
                     scratch.data());
  });
  ASSERT_EQ(work.size(), 3u);
  for (std::size_t i = 1; i < work.size(); ++i) work[i].run();
  EXPECT_EQ(write[0], 1.0f) << "its launch was not run";
  for (std::uint64_t i = 65535 * kChannels; i < write.size(); ++i) {
    const std::uint64_t image = i / kChannels;
    ASSERT_EQ(write[i], 1.0f + 2.0f * 3.0f * static_cast<float>(image)) << i;
  }
}

constexpr std::uint32_t kBatch = 1u << 20;   // images
constexpr std::uint64_t kMany = 1ull << 33;  // elements
constexpr std::uint32_t kWide = 1u << 20;    // channels
alignas(64) std::byte memory[64];            // which no kernel reads
void* const kAny = memory;
float* const kFloats = reinterpret_cast<float*>(memory);
double* const kDoubles = reinterpret_cast<double*>(memory);

class Launches : public testing::TestWithParam<Type> {};

TEST_P(Launches, OfManyImagesAreTaken) {
  const Type type = GetParam();
  Windows windows{kBatch, 3, 32, 32, 16, 16, 3, 3, 2, 2, 1, 1};
  std::vector<std::int32_t> labels(1);
  LossResult result{};
  recorded([&](Stream stream) {
    interleave(stream, kAny, type, kFloats, kBatch, 1024, 3);
    max_pool(stream, type, windows, kAny, kAny, nullptr);
    average_pool_backward(stream, type, windows, kAny, kAny, true);
    depthwise(stream, type, windows, kAny, kAny, kFloats);
    depthwise_weights(stream, type, windows, kFloats, kAny, kAny, kAny);
    cross_entropy(stream, type, kAny, labels.data(), kBatch, 1000, kDoubles, nullptr, &result);
    cross_entropy_backward(stream, type, kAny, kAny, labels.data(), kBatch, 1000, nullptr);
    factor_gradients(stream, {type, kBatch, 49, 8, true}, kAny, kAny, kAny, false, kAny);
    factor_gradients(stream, {type, kBatch, 49, 8, false}, kAny, kAny, kAny, false, kAny);
    scale_channels(stream, {type, kBatch, 49, 8, true}, kAny, kAny, kAny, false);
  });
}

TEST_P(Launches, OfManyRowsAreTaken) {
  const Type type = GetParam();
  for (const auto& [rows, channels] : std::vector<std::pair<std::uint64_t, std::uint32_t>>{
           {1, 1}, {1, kWide}, {kMany, 1}, {kMany / 8, 8}, {kWide, kWide / 64}}) {
    recorded([&, rows = rows, channels = channels](Stream stream) {
      batch_norm_forward(stream, {type, rows, channels, 0}, {}, kAny);
      batch_norm_backward(stream, {type, rows, channels, 0}, {}, kAny);
      layer_norm(stream, {type, rows, channels}, kAny, kAny, kFloats, kFloats, 0, kFloats, kFloats);
      layer_norm_variables(stream, {type, rows, channels}, {}, kFloats, kFloats, kAny);
      row_softmax(stream, type, kAny, kFloats, 1, rows, channels);
      add_bias(stream, type, kAny, kFloats, {}, rows, channels);
      column_sums(stream, type, kFloats, kAny, rows, channels, kAny);
    });
  }
}

TEST_P(Launches, OfNoneToManyElementsAreTaken) {
  const Type type = GetParam();
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, kMany}) {
    const std::uint64_t bytes = (count + 1) / 2, scales = (count + 63) / 64;
    recorded([&](Stream stream) {
      add(stream, kFloats, kFloats, kFloats, count);
      fill(stream, kAny, 0, 1, count);
      cast(stream, kAny, type, kAny, Type::kFloat, count);
      join(stream, type, kAny, kAny, nullptr, {}, count);
      relu_backward(stream, type, kAny, kAny, 0, count);
      mean_loss(stream, type, kAny, count, nullptr);
      dot(stream, kFloats, kFloats, kFloats, count, kDoubles);
      top_k(stream, {kFloats, count, kFloats, nullptr, 1, nullptr}, nullptr);
      start_sum(stream, kFloats, nullptr, count);
      scatter(stream, kFloats, count, kFloats, nullptr, count);
      quantise(stream, {4, 64, count, nullptr, kFloats}, bytes, scales, kFloats, nullptr);
      dequantise(stream, {4, 64, count, nullptr, kFloats}, 2, bytes, scales, kFloats, nullptr);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Launches,
                         testing::Values(Type::kFloat, Type::kHalf, Type::kBfloat));

}  // namespace
}  // namespace convoy::cuda::launches_test
