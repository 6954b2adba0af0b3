#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

namespace convoy::data {

// Writes a TFRecord file, replacing an existing one. Throws Error (kUnavailable) if the file cannot
// be created or written. close() throws it if not everything was written.
class TfRecordWriter {
 public:
  explicit TfRecordWriter(const std::filesystem::path& path);

  void write(std::string_view payload);
  void close();

 private:
  std::filesystem::path path_;
  std::ofstream stream_;
};

}  // namespace convoy::data
