#include "core/data/jpeg/jpeg_encoder.hpp"

#include <gtest/gtest.h>

#include "tests/data/data_test_support.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::data {
namespace {

TEST(JpegEncoder, RefusesPicturesWithoutPixels) {
  EXPECT_NE(thrown_text([] { encode_jpeg(nullptr, 0, 4, 3, {}); }).find("0 x 4"),
            std::string::npos);
}

TEST(JpegEncoder, QualityCostsBytes) {
  const std::vector<std::uint8_t> pixels = [] {
    std::vector<std::uint8_t> values;
    for (unsigned i = 0; i < 32 * 32; ++i) values.push_back(static_cast<std::uint8_t>(i * i >> 4));
    return values;
  }();
  const auto bytes = [&](int quality) {
    return encode_jpeg(pixels.data(), 32, 32, 1, {.quality = quality}).size();
  };
  EXPECT_LT(bytes(20), bytes(95));
}

}  // namespace
}  // namespace convoy::data
