#include "plugins/devices/cpu/planes.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/devices/cpu/bf16_values.hpp"

namespace convoy::test {
namespace {

using cpu::Planes;
constexpr std::size_t kBlock = Planes::kBf16Block;
constexpr cpu::Bf16 kUntouched = 0x4321;

std::size_t blocks_of(std::size_t channels) {
  return (channels + kBlock - 1) / kBlock;
}

// Calls body(plane, cell, channel of the block, element, whether there is such a channel).
template <typename Body>
void each_slot(const cpu::ChannelsLast& image, std::size_t plane, const Body& body) {
  const std::size_t first = plane % blocks_of(image.channels) * kBlock;
  const std::size_t cells = plane / blocks_of(image.channels) * image.cells;
  for (std::size_t cell = 0; cell < image.cells; ++cell) {
    for (std::size_t lane = 0; lane < kBlock; ++lane) {
      body(cell * kBlock + lane, (cells + cell) * image.channels + first + lane,
           first + lane < image.channels);
    }
  }
}

class Bf16Planes : public testing::TestWithParam<std::size_t> {
 protected:
  static constexpr std::size_t kImages = 3;
  static constexpr std::size_t kGuard = 32;  // elements behind the last image

  std::size_t planes() const { return kImages * blocks_of(image_.channels); }
  Planes of(std::vector<cpu::Bf16>& values) { return {values.data(), image_, scratch_.data()}; }

  const cpu::ChannelsLast image_{7, GetParam()};
  const std::size_t elements_ = kImages * image_.cells * image_.channels;
  std::vector<float> scratch_ = std::vector<float>(Planes::scratch_floats(image_, 1), 7.0f);
};

TEST_P(Bf16Planes, AreReadWithZerosBeyondTheLastChannel) {
  std::vector<cpu::Bf16> values = random_bf16(elements_ + kGuard, 0.0, 1.0, 1);
  const std::vector<cpu::Bf16> before = values;
  const Planes planes_of_values = of(values);
  for (std::size_t plane = 0; plane < planes(); ++plane) {
    for (const bool opens : {false, true}) {
      const float* const read =
          opens ? planes_of_values.open(plane, true) : planes_of_values.read(plane);
      each_slot(image_, plane, [&](std::size_t slot, std::size_t element, bool exists) {
        const double wanted = exists ? value_of(values[element]) : 0.0;
        ASSERT_EQ(static_cast<double>(read[slot]), wanted) << plane << ": " << slot;
      });
    }
  }
  EXPECT_EQ(values, before);
}

TEST_P(Bf16Planes, AreWrittenRoundedAndNotBeyondTheLastChannel) {
  for (std::size_t plane = 0; plane < planes(); ++plane) {
    std::vector<cpu::Bf16> values(elements_ + kGuard, kUntouched);
    std::vector<cpu::Bf16> wanted = values;
    const Planes planes_of_values = of(values);
    float* const write = planes_of_values.open(plane, false);
    CheapRandom random(static_cast<std::uint32_t>(plane));
    each_slot(image_, plane, [&](std::size_t slot, std::size_t element, bool exists) {
      write[slot] = static_cast<float>(random.normal());
      if (exists) wanted[element] = nearest_bf16(static_cast<double>(write[slot]));
    });
    planes_of_values.close(plane);
    EXPECT_EQ(values, wanted) << plane;
  }
}

TEST_P(Bf16Planes, ComeBackAsTheyWere) {
  std::vector<cpu::Bf16> values(elements_ + kGuard);
  std::iota(values.begin(), values.end(), cpu::Bf16{0x3f00});
  const std::vector<cpu::Bf16> before = values;
  const Planes planes_of_values = of(values);
  for (std::size_t plane = 0; plane < planes(); ++plane) {
    planes_of_values.open(plane, true);
    planes_of_values.close(plane);
  }
  EXPECT_EQ(values, before);
}

INSTANTIATE_TEST_SUITE_P(Channels, Bf16Planes, testing::Values(1, 15, 16, 17, 33));

TEST(F32Planes, ArePassedThrough) {
  std::vector<float> values(60, 3.0f);
  const std::vector<float> before = values;
  const Planes planes(values.data(), 20);
  for (std::size_t plane = 0; plane < 3; ++plane) {
    EXPECT_EQ(planes.read(plane), values.data() + plane * 20);
    EXPECT_EQ(planes.open(plane, false), values.data() + plane * 20);
    EXPECT_EQ(planes.open(plane, true), values.data() + plane * 20);
    planes.close(plane);
  }
  EXPECT_EQ(values, before);
}

}  // namespace
}  // namespace convoy::test
