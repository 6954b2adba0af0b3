#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace convoy::simulate {

// Writes a protocol buffers message field by field. Execution traces need so little of the format
// that the library is not worth loading. A field is written whatever its value, also where readers
// take a missing one for 0: members of a oneof differ from none.
class MessageWriter {
 public:
  void number(std::uint32_t field, std::uint64_t value);
  // A text, bytes or a message.
  void text(std::uint32_t field, std::string_view value);
  // Nothing for an empty list.
  void numbers(std::uint32_t field, std::span<const std::uint64_t> values);
  // The same behind its length, as messages lie one after the other in a file.
  void append_delimited(const MessageWriter& message);

  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value);

  std::string bytes_;
};

}  // namespace convoy::simulate
