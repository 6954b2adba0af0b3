#include "core/data/tfrecord/crc32c.hpp"

#include <gtest/gtest.h>

#include <string>

namespace convoy::data {
namespace {

// One bit at a time, straight from the reflected polynomial.
std::uint32_t slow_crc32c(const std::string& bytes) {
  std::uint32_t state = 0xffffffffu;
  for (const char byte : bytes) {
    state ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1) != 0 ? 0x82f63b78u : 0);
  }
  return ~state;
}

TEST(Crc32c, GivesTheVectorsOfRfc3720) {
  std::string ascending;
  for (char i = 0; i < 32; ++i) ascending.push_back(i);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c(ascending), 0x46dd794eu);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(""), 0u);
}

TEST(Crc32c, EqualsTheSlowDefinitionForEveryLength) {
  std::string bytes;
  for (int length = 0; length < 600; ++length) {
    ASSERT_EQ(crc32c(bytes), slow_crc32c(bytes)) << "length " << length;
    bytes.push_back(static_cast<char>(length * 37 + 11));
  }
}

TEST(Crc32c, MasksByRotatingAndAdding) {
  // 0xe3069283 rotated right by 15 is 0x2507c60d.
  EXPECT_EQ(masked_crc32c("123456789"), 0x2507c60du + 0xa282ead8u);
}

}  // namespace
}  // namespace convoy::data
