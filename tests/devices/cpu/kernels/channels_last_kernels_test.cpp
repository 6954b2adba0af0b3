#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <utility>

#include "plugins/devices/cpu/kernels/channels_last_pool.hpp"
#include "tests/devices/cpu/bf16_values.hpp"

#if defined(__x86_64__) && !defined(CONVOY_X86_KERNELS)
#define CONVOY_X86_KERNELS  // as the kernels' library is compiled
#endif
#include "plugins/devices/cpu/kernels/instruction_set.hpp"

namespace convoy::cpu {

namespace baseline {
extern const ChannelsLastKernels kChannelsLast;
extern const ChannelsLastPoolKernels kChannelsLastPool;
}  // namespace baseline
#ifdef CONVOY_X86_KERNELS
namespace x86_64_v3 {
extern const ChannelsLastKernels kChannelsLast;
extern const ChannelsLastPoolKernels kChannelsLastPool;
}  // namespace x86_64_v3
namespace x86_64_v4 {
extern const ChannelsLastKernels kChannelsLast;
extern const ChannelsLastPoolKernels kChannelsLastPool;
}  // namespace x86_64_v4
#endif

}  // namespace convoy::cpu

namespace convoy::test {
namespace {

struct KernelSet {
  std::string name;
  const cpu::ChannelsLastKernels* kernels;
  const cpu::ChannelsLastPoolKernels* pool;
};

// Of the instruction sets that this processor has.
std::vector<KernelSet> kernel_sets() {
  std::vector<KernelSet> sets{
      {"baseline", &cpu::baseline::kChannelsLast, &cpu::baseline::kChannelsLastPool}};
#ifdef CONVOY_X86_KERNELS
  if (cpu::has_x86_64_v3()) {
    sets.push_back(
        {"x86_64_v3", &cpu::x86_64_v3::kChannelsLast, &cpu::x86_64_v3::kChannelsLastPool});
  }
  if (cpu::has_x86_64_v4()) {
    sets.push_back(
        {"x86_64_v4", &cpu::x86_64_v4::kChannelsLast, &cpu::x86_64_v4::kChannelsLastPool});
  }
#endif
  return sets;
}

// Everything that the kernels compute, as bits.
struct KernelBits {
  std::vector<std::vector<cpu::Bf16>> halves;
  std::vector<std::vector<std::uint64_t>> doubles;
  std::vector<std::vector<std::uint32_t>> floats;

  void add(const std::vector<double>& values) {
    doubles.emplace_back();
    for (const double value : values) doubles.back().push_back(std::bit_cast<std::uint64_t>(value));
  }
};

struct KernelInputs {
  explicit KernelInputs(const cpu::ChannelsLast& s)
      : shape(s),
        read(random_bf16(s.cells * s.channels, 1.0, 3.0, 1)),
        gradient(random_bf16(s.cells * s.channels, 0.0, 1.0, 2)),
        addend(random_bf16(s.cells * s.channels, 0.0, 0.01, 3)),
        output(random_bf16(s.cells * s.channels, 0.5, 1.0, 4)) {
    CheapRandom random(5);
    for (std::vector<float>& values : constants) {
      for (std::size_t c = 0; c < s.channels; ++c) {
        values.push_back(static_cast<float>(random.normal()));
      }
    }
  }

  cpu::NormConstants norm(float lower, float upper) const {
    return {constants[0].data(), constants[1].data(), constants[2].data(), lower, upper};
  }

  cpu::ChannelsLast shape;
  std::vector<cpu::Bf16> read, gradient, addend, output;
  std::array<std::vector<float>, 5> constants;
};

void forward_bits(const cpu::ChannelsLastKernels& kernels, const KernelInputs& in,
                  KernelBits& bits) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (std::size_t channel = 0; channel < in.shape.channels; channel += 16) {
    std::vector<float> block(in.shape.cells * 16, 7.0f);
    kernels.gather(in.shape, in.read.data(), channel, block.data());
    bits.floats.emplace_back();
    for (const float value : block)
      bits.floats.back().push_back(std::bit_cast<std::uint32_t>(value));
  }
  std::vector<double> sum(in.shape.channels, 1.0), squares(in.shape.channels, 2.0);
  kernels.moments(in.shape, in.read.data(), in.constants[0].data(), sum.data(), squares.data());
  bits.add(sum);
  bits.add(squares);
  for (const bool add : {false, true}) {
    std::vector<cpu::Bf16> write(in.read.size());
    kernels.normalise(in.shape, write.data(), in.read.data(), add ? in.addend.data() : nullptr,
                      add ? in.norm(0.0f, 1.5f) : in.norm(-kInfinity, kInfinity));
    bits.halves.push_back(write);
  }
}

// way: a bit each for an addend (in the second pass: what is there), an output and a relu.
void backward_bits(const cpu::ChannelsLastKernels& kernels, const KernelInputs& in, unsigned way,
                   KernelBits& bits) {
  std::vector<cpu::Bf16> gradient = in.gradient, write = in.output;
  const bool add = (way & 1u) != 0, relu = (way & 4u) != 0;
  const cpu::NormConstants norm = in.norm(0.0f, 1.5f);
  std::vector<double> sum(in.shape.channels), product(in.shape.channels);
  kernels.gradient_sums(in.shape,
                        {gradient.data(), add ? in.addend.data() : nullptr,
                         (way & 2u) != 0 ? in.output.data() : nullptr},
                        in.read.data(), relu, norm, sum.data(), product.data());
  kernels.gradient(in.shape, write.data(), add ? write.data() : nullptr, gradient.data(),
                   in.read.data(), relu, {norm, in.constants[3].data(), in.constants[4].data()});
  bits.halves.push_back(gradient);
  bits.halves.push_back(write);
  bits.add(sum);
  bits.add(product);
}

KernelBits all_bits(const cpu::ChannelsLastKernels& kernels, const KernelInputs& in) {
  KernelBits bits;
  forward_bits(kernels, in, bits);
  for (unsigned way = 0; way < 8; ++way) backward_bits(kernels, in, way, bits);
  return bits;
}

TEST(ChannelsLastKernels, GiveTheSameBitsForAllInstructionSets) {
  for (const std::size_t channels : {1, 7, 16, 17, 40, 1030}) {
    for (const std::size_t cells : {1, 9, 270}) {
      if (channels * cells > 20000) continue;
      const KernelInputs in({cells, channels});
      const KernelBits wanted = all_bits(cpu::baseline::kChannelsLast, in);
      for (const KernelSet& set : kernel_sets()) {
        const KernelBits bits = all_bits(*set.kernels, in);
        EXPECT_EQ(bits.floats, wanted.floats) << set.name << ": " << cells << "x" << channels;
        EXPECT_EQ(bits.halves, wanted.halves) << set.name << ": " << cells << "x" << channels;
        EXPECT_EQ(bits.doubles, wanted.doubles) << set.name << ": " << cells << "x" << channels;
      }
    }
  }
}

// An image of 6x5 cells, its windows of 3x3 two apart and one over the edge.
std::vector<std::vector<cpu::Bf16>> pool_bits(const cpu::ChannelsLastPoolKernels& pool,
                                              std::size_t channels) {
  const cpu::PlaneWindows shape{6, 5, 3, 3, 3, 3, 2, 2, 1, 1};
  const cpu::Span rows[] = {{0, 2}, {1, 4}, {3, 6}}, columns[] = {{0, 2}, {1, 4}, {3, 5}};
  const cpu::Span windows[] = {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}, {2, 3}};
  const cpu::PoolSpans spans{rows, columns, windows, windows};
  const std::vector<cpu::Bf16> read = random_bf16(30 * channels, 0.0, 1.0, 1);
  const std::vector<cpu::Bf16> gradient = random_bf16(9 * channels, 0.0, 1.0, 2);
  const std::vector<float> shares(9, 1.0f / 7.0f);
  std::vector<std::uint8_t> record(gradient.size());
  std::vector<cpu::Bf16> maximum(gradient.size()), average(gradient.size());
  std::vector<cpu::Bf16> maximum_gradient = random_bf16(30 * channels, 0.0, 1.0, 3);
  std::vector<cpu::Bf16> average_gradient = maximum_gradient;
  pool.max_forward(shape, spans, channels, {0, 3}, read.data(), maximum.data(), record.data());
  pool.max_backward(shape, spans, channels, {1, 6}, gradient.data(), record.data(),
                    maximum_gradient.data(), true);
  pool.average_forward(shape, spans, channels, {0, 3}, read.data(), shares.data(), average.data());
  pool.average_backward(shape, spans, channels, {1, 6}, gradient.data(), shares.data(),
                        average_gradient.data(), true);
  return {maximum, average, maximum_gradient, average_gradient, {record.begin(), record.end()}};
}

TEST(ChannelsLastKernels, PoolToTheSameBitsForAllInstructionSets) {
  for (const std::size_t channels : {1, 15, 16, 17, 40}) {
    const auto wanted = pool_bits(cpu::baseline::kChannelsLastPool, channels);
    for (const KernelSet& set : kernel_sets()) {
      EXPECT_EQ(pool_bits(*set.pool, channels), wanted) << set.name << ": " << channels;
    }
  }
}

// f32 bits, and the bf16 bits that they round to.
constexpr std::pair<std::uint32_t, cpu::Bf16> kRoundings[] = {
    {0x3f800000, 0x3f80}, {0x3f807fff, 0x3f80}, {0x3f808000, 0x3f80},  // a tie, to even below
    {0x3f808001, 0x3f81}, {0x3f818000, 0x3f82}, {0xbf818000, 0xbf82},  // ties, to even above
    {0x00000000, 0x0000}, {0x80000000, 0x8000}, {0x00008000, 0x0000},  // zeros
    {0x00018000, 0x0002}, {0x007fffff, 0x0080}, {0x3fffffff, 0x4000},  // into the next exponent
    {0x7f7fffff, 0x7f80}, {0x7f7f7fff, 0x7f7f}, {0x7f800000, 0x7f80},  // infinities, and almost
    {0xff800000, 0xff80}};

TEST(ChannelsLastKernels, RoundToTheNearest) {
  for (const KernelSet& set : kernel_sets()) {
    for (const std::size_t channels : {1, 16}) {
      for (const auto& [from, wanted] : kRoundings) {
        const std::vector<float> read(16, std::bit_cast<float>(from));
        std::vector<cpu::Bf16> write(16, 0x4321);
        set.kernels->scatter({1, channels}, read.data(), 0, write.data());
        EXPECT_EQ(write[0], wanted) << set.name << ": " << std::hex << from;
        EXPECT_EQ(write[15], channels == 16 ? wanted : 0x4321)
            << set.name << ": " << std::hex << from;
      }
    }
  }
}

// Also one whose upper half alone would be an infinity, or that would round to zero.
TEST(ChannelsLastKernels, KeepNotANumber) {
  for (const KernelSet& set : kernel_sets()) {
    for (const std::uint32_t bits : {0x7fc00000u, 0x7f800001u, 0xffffffffu, 0x7fffffffu}) {
      const std::vector<float> read(16, std::bit_cast<float>(bits));
      std::vector<cpu::Bf16> write(16);
      set.kernels->scatter({1, 16}, read.data(), 0, write.data());
      EXPECT_TRUE(std::isnan(value_of(write[3]))) << set.name << ": " << std::hex << bits;
      EXPECT_EQ(write[3] >> 15, bits >> 31) << set.name;
    }
  }
}

// Every bf16 number but those that are none.
TEST(ChannelsLastKernels, GatherAndScatterEveryNumberAsItIs) {
  std::vector<cpu::Bf16> values(1u << 16);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<cpu::Bf16>((i & 0x7fffu) > 0x7f80u ? 0 : i);
  }
  const cpu::ChannelsLast shape{values.size() / 16, 16};
  for (const KernelSet& set : kernel_sets()) {
    std::vector<float> block(values.size());
    std::vector<cpu::Bf16> back(values.size());
    set.kernels->gather(shape, values.data(), 0, block.data());
    set.kernels->scatter(shape, block.data(), 0, back.data());
    EXPECT_EQ(back, values) << set.name;
    EXPECT_EQ(static_cast<double>(block[0x4049]), value_of(0x4049)) << set.name;
  }
}

}  // namespace
}  // namespace convoy::test
