#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace convoy::checkpoint {

// A file that appears completely or not at all, even if the machine loses power. It is written
// under a temporary name in the same folder, synced and renamed, and then the folder is synced.
// Until commit(), an existing file at the path stays. Without commit(), the temporary file is
// deleted. Error kFailed gives the path and the system's reason.
class DurableFile {
 public:
  explicit DurableFile(const std::filesystem::path& path);
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  // Writes the data to the disk, still under the temporary name. commit() does this as well.
  void sync();
  void commit();

  // Returns where the file is until commit().
  const std::filesystem::path& temporary() const { return temporary_; }

  // Returns whether a DurableFile whose process died left a file of this name.
  static bool is_temporary(const std::filesystem::path& path);

 private:
  [[noreturn]] void fail_to(const char* what) const;  // reports errno

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  bool synced_ = false;  // nothing was written since sync()
};

}  // namespace convoy::checkpoint
