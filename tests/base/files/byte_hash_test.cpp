#include "core/base/files/byte_hash.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/error.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy {
namespace {

// Of nothing and of "convoy", xxh128sum prints these.
constexpr const char* kOfNothing = "99aa06d3014798d86001c324468d497f";

TEST(ByteHash, IsXxh128InPiecesOrWhole) {
  const std::string text = "convoy";
  ByteHash whole;
  EXPECT_EQ(whole.digits(), kOfNothing);
  whole.add(std::as_bytes(std::span(text)));
  ByteHash pieces;
  pieces.add(std::as_bytes(std::span(text)).first(2));
  pieces.add(std::as_bytes(std::span(text)).subspan(2));
  EXPECT_EQ(whole.digits(), "ca1b729d91207a2816b8fc3ef51886af");
  EXPECT_EQ(pieces.digits(), whole.digits());
}

TEST(ByteHash, OfAFileIsOfItsBytesBehindTheFirstPieceToo) {
  const std::filesystem::path path = std::filesystem::path(scratch_folder("byte_hash")) / "file";
  std::string text(700001, 'a');
  std::ofstream(path) << text;
  ByteHash expected;
  expected.add(std::as_bytes(std::span(text)));
  EXPECT_EQ(file_hash(path), expected.digits());
  EXPECT_THROW(file_hash(path.parent_path() / "missing"), Error);
}

}  // namespace
}  // namespace convoy
