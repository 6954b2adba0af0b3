#include "plugins/devices/cpu/convolutions/paired_weights.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

namespace convoy::test {
namespace {

using cpu::Bf16;
using cpu::Desc;
using cpu::PairedWeights;
using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

struct PairedCase {
  std::string name;
  Dims dims;
  Tag from;
  bool transposed;  // the source is stored with its first two dimensions exchanged
  Tag to;
};

void PrintTo(const PairedCase& one, std::ostream* out) {
  *out << one.name;
}

Dims exchanged(Dims dims) {
  std::swap(dims[0], dims[1]);
  return dims;
}

Desc source_of(const PairedCase& one) {
  if (!one.transposed) return {one.dims, Type::f32, one.from};
  return Desc(exchanged(one.dims), Type::f32, one.from).permute_axes({1, 0, 2, 3});
}

// Values with rounding both ways and ties, in the given storage; the library fills its padding.
class PairedWeightsTest : public ::testing::TestWithParam<PairedCase> {
 protected:
  void SetUp() override {
    const Dims& dims = GetParam().dims;
    const Desc plain = cpu::plain_desc(dims);
    const dnnl::memory values(plain, engine_);
    auto* floats = static_cast<float*>(values.get_data_handle());
    for (std::size_t i = 0; i < plain.get_size() / sizeof(float); ++i) {
      floats[i] = (static_cast<float>(i * 2654435761u % 4096) - 2048.0f) / 256.0f;
    }
    floats[0] = std::numeric_limits<float>::quiet_NaN();
    floats[1] = -std::numeric_limits<float>::infinity();
    source_ = dnnl::memory(source_of(GetParam()), engine_);
    std::memset(source_.get_data_handle(), 0, source_.get_desc().get_size());
    reorder(values, source_);
  }

  void reorder(dnnl::memory from, dnnl::memory to) {
    dnnl::stream stream(engine_);
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
  }

  std::vector<Bf16> own(bool turned) {
    const Desc wanted(GetParam().dims, Type::bf16, GetParam().to);
    const auto conversion = PairedWeights::between(source_.get_desc(), wanted, turned);
    EXPECT_TRUE(conversion.has_value());
    std::vector<Bf16> result(wanted.get_size() / sizeof(Bf16), Bf16{0x4242});
    if (conversion) {
      conversion->run(static_cast<const float*>(source_.get_data_handle()), result.data());
    }
    return result;
  }

  // By way of plain storage, of which the library's conversions are right for all sizes.
  std::vector<Bf16> library(bool turned) {
    const Dims& dims = GetParam().dims;
    const Desc plain_bf16(dims, Type::bf16, dims.size() == 2 ? Tag::ab : Tag::abcd);
    const dnnl::memory plain(cpu::plain_desc(dims), engine_);
    const dnnl::memory narrow(plain_bf16, engine_);
    const dnnl::memory paired(Desc(dims, Type::bf16, GetParam().to), engine_);
    reorder(source_, plain);
    if (turned) turn(static_cast<float*>(plain.get_data_handle()), dims);
    reorder(plain, narrow);
    reorder(narrow, paired);
    const auto* first = static_cast<const Bf16*>(paired.get_data_handle());
    return {first, first + paired.get_desc().get_size() / sizeof(Bf16)};
  }

  static void turn(float* values, const Dims& dims) {
    const auto taps = dims.size() == 2 ? 1 : dims[2] * dims[3];
    for (dnnl::memory::dim filter = 0; filter < dims[0] * dims[1]; ++filter) {
      std::reverse(values + filter * taps, values + (filter + 1) * taps);
    }
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::memory source_;
};

TEST_P(PairedWeightsTest, AreThoseOfTheLibraryBitForBit) {
  EXPECT_EQ(own(false), library(false));
}

TEST_P(PairedWeightsTest, TurnedFiltersToo) {
  EXPECT_EQ(own(true), library(true));
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, PairedWeightsTest,
    ::testing::Values(
        PairedCase{"forward_64", {128, 64, 3, 3}, Tag::OIhw16i16o, false, Tag::OhwI16i64o2i},
        PairedCase{"forward_32", {64, 96, 1, 7}, Tag::OIhw16i16o, false, Tag::OhwI16i32o2i},
        PairedCase{"forward_padded", {48, 80, 5, 5}, Tag::OIhw16i16o, false, Tag::OhwI16i64o2i},
        PairedCase{"forward_odd", {35, 21, 3, 1}, Tag::OIhw16i16o, false, Tag::OhwI16i64o2i},
        PairedCase{"forward_vectors", {64, 48, 3, 3}, Tag::OIhw16i16o, false, Tag::OIhw8i16o2i},
        PairedCase{"gradient", {96, 64, 3, 3}, Tag::OIhw16i16o, false, Tag::OIhw16o16i2o},
        PairedCase{"gradient_odd", {40, 17, 3, 3}, Tag::OIhw16i16o, false, Tag::OIhw16o16i2o},
        PairedCase{"transposed", {64, 128, 1, 1}, Tag::OIhw16i16o, true, Tag::OhwI16i64o2i},
        PairedCase{"matrix_64", {128, 96}, Tag::AB16b64a, false, Tag::AB16b64a2b},
        PairedCase{"matrix_32", {96, 64}, Tag::AB16b32a, false, Tag::AB16b32a2b},
        PairedCase{"matrix_padded", {80, 48}, Tag::AB16b16a, false, Tag::AB16b16a2b},
        PairedCase{"matrix_odd", {45, 37}, Tag::AB16b64a, false, Tag::AB16b64a2b},
        PairedCase{"matrix_of_classes", {1001, 70}, Tag::AB16b32a, false, Tag::AB16b32a2b},
        PairedCase{"transposed_line", {48, 64, 7, 1}, Tag::OIhw16i16o, true, Tag::OhwI16i64o2i}),
    [](const auto& one) { return one.param.name; });

TEST(PairedWeights, LeavesOtherLayoutsToTheLibrary) {
  const Dims dims = {64, 64, 3, 3};
  const Desc blocked(dims, Type::f32, Tag::OIhw16i16o);
  const Desc paired(dims, Type::bf16, Tag::OhwI16i64o2i);
  ASSERT_TRUE(PairedWeights::between(blocked, paired));
  EXPECT_FALSE(PairedWeights::between(paired, paired));
  EXPECT_FALSE(PairedWeights::between(cpu::plain_desc(dims), paired));
  EXPECT_FALSE(PairedWeights::between(blocked, {dims, Type::bf16, Tag::OIhw16i16o}));
  EXPECT_FALSE(PairedWeights::between({dims, Type::f32, Tag::OIhw8i8o}, paired));
  EXPECT_FALSE(PairedWeights::between({{64, 64}, Type::f32, Tag::ab},
                                      {{64, 64}, Type::bf16, Tag::AB16b32a2b}));
  EXPECT_FALSE(PairedWeights::between({{64, 64, 64}, Type::f32, Tag::aBC16b16c},
                                      {{64, 64, 64}, Type::bf16, Tag::aBC16b16c}));
  EXPECT_FALSE(PairedWeights::between({{64, 64, 3, 3, 3}, Type::f32, Tag::OIdhw16i16o}, paired));
}

}  // namespace
}  // namespace convoy::test
