#include "core/simulate/chakra/message_writer.hpp"

namespace convoy::simulate {
namespace {

constexpr std::uint32_t kVarint = 0;
constexpr std::uint32_t kDelimited = 2;

std::uint64_t key(std::uint32_t field, std::uint32_t wire) {
  return std::uint64_t{field} << 3 | wire;
}

}  // namespace

void MessageWriter::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

void MessageWriter::number(std::uint32_t field, std::uint64_t value) {
  varint(key(field, kVarint));
  varint(value);
}

void MessageWriter::text(std::uint32_t field, std::string_view value) {
  varint(key(field, kDelimited));
  varint(value.size());
  bytes_ += value;
}

void MessageWriter::numbers(std::uint32_t field, std::span<const std::uint64_t> values) {
  if (values.empty()) return;
  MessageWriter packed;
  for (const std::uint64_t value : values) packed.varint(value);
  text(field, packed.bytes_);
}

void MessageWriter::append_delimited(const MessageWriter& message) {
  varint(message.bytes_.size());
  bytes_ += message.bytes_;
}

}  // namespace convoy::simulate
