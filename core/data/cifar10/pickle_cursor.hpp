#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace convoy::data {

// Reads the operations of a pickle one after another: an opcode, then its operands. It never reads
// beyond the bytes, and rejects operations that do not fit.
class PickleCursor {
 public:
  // `path` is for messages. The path and the bytes must outlive the cursor.
  PickleCursor(std::string_view bytes, const std::filesystem::path& path)
      : bytes_(bytes), path_(path) {}

  std::uint8_t next_opcode();

  std::string_view take(std::uint64_t count);
  std::string_view take_line();            // without its line end
  std::uint64_t take_unsigned(int bytes);  // little endian, at most 8 bytes
  std::int64_t take_signed(int bytes);     // two's complement; no bytes give 0
  std::uint64_t left() const { return bytes_.size() - position_; }

  // Throws Error(kFailed) that names the file, the byte of the last operation and its opcode.
  template <typename... Args>
  [[noreturn]] void reject(fmt::format_string<Args...> format, Args&&... args) const {
    reject_text(fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  [[noreturn]] void reject_text(const std::string& reason) const;

  std::string_view bytes_;
  const std::filesystem::path& path_;
  std::uint64_t position_ = 0;
  std::uint64_t operation_ = 0;  // position of the last opcode
};

}  // namespace convoy::data
