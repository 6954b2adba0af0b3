#include "plugins/transports/grpc/frame.hpp"

#include <gtest/gtest.h>

#include <string>

namespace convoy::grpc_transport {
namespace {

TEST(GrpcFrame, IsReadAcrossPiecesOfMemory) {
  const grpc::Slice slices[] = {grpc::Slice("ab"), grpc::Slice(""), grpc::Slice("cdefg")};
  FrameReader reader(grpc::ByteBuffer(slices, 3));
  EXPECT_EQ(reader.left(), 7u);
  std::string text(3, ' ');
  reader.read(text.data(), 3);
  EXPECT_EQ(text, "abc");
  text.resize(4);
  reader.read(text.data(), 4);
  EXPECT_EQ(text, "defg");
  EXPECT_EQ(reader.left(), 0u);
}

TEST(GrpcFrame, ChecksumIsCrc32cInAnyPieces) {
  const std::string digits = "123456789";
  EXPECT_EQ(checksum(0, digits.data(), digits.size()), 0xe3069283u) << "as in RFC 3720";
  EXPECT_EQ(checksum(checksum(0, digits.data(), 4), digits.data() + 4, 5), 0xe3069283u);
  EXPECT_EQ(checksum(0, digits.data(), 0), 0u);
}

}  // namespace
}  // namespace convoy::grpc_transport
