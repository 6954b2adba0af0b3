#include "core/data/cifar10/pickle_cursor.hpp"

#include "core/base/error.hpp"

namespace convoy::data {

std::uint8_t PickleCursor::next_opcode() {
  if (left() == 0) reject("the file ends after it, before the pickle does");
  operation_ = position_;
  return static_cast<std::uint8_t>(take_unsigned(1));
}

std::string_view PickleCursor::take(std::uint64_t count) {
  if (count > left()) reject("needs {} bytes, and the file ends after {}", count, left());
  const std::string_view taken = bytes_.substr(position_, count);
  position_ += count;
  return taken;
}

std::string_view PickleCursor::take_line() {
  const std::size_t end = bytes_.find('\n', position_);
  if (end == std::string_view::npos) reject("a name without an end");
  const std::string_view line = take(end - position_);
  take(1);
  return line;
}

std::uint64_t PickleCursor::take_unsigned(int bytes) {
  const std::string_view digits = take(static_cast<std::uint64_t>(bytes));
  std::uint64_t value = 0;
  for (std::size_t i = digits.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(digits[i]);
  }
  return value;
}

std::int64_t PickleCursor::take_signed(int bytes) {
  if (bytes == 0) return 0;
  const int unused = 64 - 8 * bytes;
  return static_cast<std::int64_t>(take_unsigned(bytes) << unused) >> unused;
}

void PickleCursor::reject_text(const std::string& reason) const {
  const auto opcode = static_cast<unsigned char>(bytes_[operation_]);
  const bool printable = opcode > 0x20 && opcode < 0x7f;
  fail(ExitCode::kFailed, "{}, byte {}: pickle opcode {}: {}", path_.string(), operation_,
       printable ? fmt::format("'{}'", static_cast<char>(opcode)) : fmt::format("{:#04x}", opcode),
       reason);
}

}  // namespace convoy::data
