#include "core/base/numbers/fnv.hpp"

#include <gtest/gtest.h>

namespace convoy {
namespace {

template <typename Hash>
auto hash_of(std::string_view bytes) {
  Hash hash;
  hash.add_bytes(bytes);
  return hash.value();
}

// From the test vectors of the hash's authors (http://www.isthe.com/chongo/tech/comp/fnv).
TEST(Fnv1a, AgreesWithItsAuthorsVectors) {
  EXPECT_EQ(hash_of<Fnv1a32>(""), 0x811c9dc5u);
  EXPECT_EQ(hash_of<Fnv1a32>("a"), 0xe40c292cu);
  EXPECT_EQ(hash_of<Fnv1a32>("foobar"), 0xbf9cf968u);
  EXPECT_EQ(hash_of<Fnv1a64>(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hash_of<Fnv1a64>("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hash_of<Fnv1a64>("foobar"), 0x85944171f73967e8u);
}

TEST(Fnv1a, SeesTheOrderOfWords) {
  Fnv1a64 ascending;
  ascending.add_word(1);
  ascending.add_word(2);
  Fnv1a64 descending;
  descending.add_word(2);
  descending.add_word(1);
  EXPECT_NE(ascending.value(), descending.value());
}

}  // namespace
}  // namespace convoy
