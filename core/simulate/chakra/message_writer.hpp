#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace convoy::simulate {

// Writes a protocol buffers message field by field. Execution traces need too little of the format
// to justify the library. Every field is written, even with the value 0, because a oneof whose
// member is 0 differs from an empty one.
class MessageWriter {
 public:
  void number(std::uint32_t field, std::uint64_t value);
  // Writes a text, bytes or a message.
  void text(std::uint32_t field, std::string_view value);
  // Writes nothing for an empty list.
  void numbers(std::uint32_t field, std::span<const std::uint64_t> values);
  // Appends the length of a message and then the message, which is how files hold several.
  void append_delimited(const MessageWriter& message);

  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value);

  std::string bytes_;
};

}  // namespace convoy::simulate
