#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// The root of the files by which a system describes itself: "/" for this machine, or a copy of a
// machine's /proc, /sys and /etc. Paths are relative to it ("proc/meminfo"). No function throws:
// files that are missing or unreadable give an empty result.
class SystemRoot {
 public:
  explicit SystemRoot(std::filesystem::path root) : root_(std::move(root)) {}

  bool is_this_machine() const { return root_ == "/"; }
  bool exists(const std::string& path) const;
  // Returns the whole file without white space at its end; at most 1 MiB of it.
  std::optional<std::string> text(const std::string& path) const;
  // Returns the number in a file that holds one whole number and nothing else, except a unit after
  // it.
  std::optional<std::int64_t> number(const std::string& path) const;
  // Returns a field of /proc/meminfo in bytes: memory_field("MemTotal").
  std::optional<std::uint64_t> memory_field(std::string_view name) const;
  // Returns the names in a directory, sorted.
  std::vector<std::string> names(const std::string& path) const;
  // Returns the last component of a symbolic link's target.
  std::optional<std::string> link_name(const std::string& path) const;

 private:
  std::filesystem::path root_;
};

}  // namespace convoy
