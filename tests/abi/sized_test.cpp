#include <convoy/sized.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/thrown_text.hpp"

namespace convoy {
namespace {

// A struct as both sides may know it.
struct Older {
  std::uint64_t struct_size;
  std::uint64_t a;
};
struct Newer {
  std::uint64_t struct_size;
  std::uint64_t a;
  std::uint64_t b;
  std::uint64_t c;
};

Newer newer(std::uint64_t size, std::uint64_t b = 7, std::uint64_t c = 0) {
  return {size, 5, b, c};
}

const Older& as_older(const Newer& it) {
  return reinterpret_cast<const Older&>(it);
}

std::string refusal(const Newer& it, Side reader) {
  return thrown_text<UnusableStruct>([&] { read_sized(as_older(it), "thing", reader); },
                                     "accepted");
}

TEST(Sized, MissingFieldsAreZero) {
  const Newer given = newer(16, 7, 8);
  const Newer read = read_sized(given, "thing", Side::kHost);
  EXPECT_EQ(read.struct_size, sizeof(Newer));
  EXPECT_EQ(read.a, 5u);
  EXPECT_EQ(read.b, 0u);
  EXPECT_EQ(read.c, 0u);
  EXPECT_FALSE(readable_in_place(given, "thing", Side::kHost));
}

TEST(Sized, UnknownFieldsMustBeZero) {
  EXPECT_EQ(refusal(newer(32, 0, 0), Side::kHost), "accepted");
  EXPECT_EQ(refusal(newer(16, 7, 0), Side::kHost), "accepted") << "is not the struct's any more";
  EXPECT_EQ(refusal(newer(32, 0, 256), Side::kHost),
            "byte 25 of thing is set, which is newer than plug-in ABI 1.0 (16 bytes); the plug-in "
            "was built for a newer convoy: update convoy, or build the plug-in with this one's "
            "headers");
  EXPECT_THAT(refusal(newer(32, 1), Side::kPlugin),
              ::testing::HasSubstr("byte 16 of thing is set"));
  EXPECT_THAT(refusal(newer(32, 1), Side::kPlugin),
              ::testing::HasSubstr("take a newer version of the plug-in"));
  EXPECT_TRUE(readable_in_place(as_older(newer(32, 0, 0)), "thing", Side::kHost));
  EXPECT_THROW(readable_in_place(as_older(newer(32, 0, 1)), "thing", Side::kHost), UnusableStruct);
}

TEST(Sized, SizesThatWereNeverSetAreRefused) {
  for (const std::uint64_t size : {0ull, 4ull, 12ull, 65536ull, ~0ull}) {
    EXPECT_THAT(refusal(newer(size), Side::kHost),
                ::testing::HasSubstr("struct_size of thing is " + std::to_string(size) +
                                     "; in plug-in ABI 1.0 it is 16: was it set?"));
    Newer asked = newer(size);
    EXPECT_THROW(answer_sized(asked, newer(32), "thing"), UnusableStruct);
    EXPECT_THROW(read_table(asked, "thing"), UnusableStruct);
  }
}

TEST(Sized, TablesMayHaveMore) {
  const Older table = read_table(as_older(newer(32, 1, 2)), "table");
  EXPECT_EQ(table.struct_size, sizeof(Older));
  EXPECT_EQ(table.a, 5u);
}

TEST(Sized, AnswersHaveTheSizeOfTheQuestion) {
  Newer asked = newer(16, 7, 8);
  answer_sized(asked, Newer{0, 1, 2, 3}, "thing");
  EXPECT_EQ(asked.struct_size, 16u);
  EXPECT_EQ(asked.a, 1u);
  EXPECT_EQ(asked.b, 7u) << "after the end";
  EXPECT_EQ(asked.c, 8u) << "after the end";

  Newer knows_more = newer(32, 7, 8);
  answer_sized(reinterpret_cast<Older&>(knows_more), Older{0, 1}, "thing");
  EXPECT_EQ(knows_more.struct_size, 32u);
  EXPECT_EQ(knows_more.a, 1u);
  EXPECT_EQ(knows_more.b, 0u);
  EXPECT_EQ(knows_more.c, 0u);
}

}  // namespace
}  // namespace convoy
