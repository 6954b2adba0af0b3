#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace convoy::checkpoint {

// A file that appears whole or not at all, also when the machine loses power: written beside its
// place under a temporary name, synced, renamed, and the folder synced. Until commit() whatever
// stood at the path stands there still; without it the temporary file goes away. Error kFailed
// gives the path and the system's reason.
class DurableFile {
 public:
  explicit DurableFile(const std::filesystem::path& path);
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  // Through to the disk, still under the temporary name; commit() does it, too.
  void sync();
  void commit();

  // Whether a file of this name was left by a DurableFile whose process died.
  static bool is_temporary(const std::filesystem::path& path);

 private:
  [[noreturn]] void fail_to(const char* what) const;  // with errno

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  bool synced_ = false;  // nothing was written since
};

}  // namespace convoy::checkpoint
