#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace convoy::simulate {

// A protocol buffers message as bytes, field by field: what little of that form execution traces
// need, without a library that programs would load for it. A field is written whatever its value,
// also where readers take a missing one for 0: members of a oneof differ from none.
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
