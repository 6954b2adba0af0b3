#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// The files below which a system describes itself: "/" of this machine, or a copy of its /proc,
// /sys and /etc. Paths are relative to it ("proc/meminfo"). Nothing here throws: what is missing or
// unreadable is simply not there.
class SystemRoot {
 public:
  explicit SystemRoot(std::filesystem::path root) : root_(std::move(root)) {}

  bool is_this_machine() const { return root_ == "/"; }
  bool exists(const std::string& path) const;
  // The whole file without white space at its end; at most 1 MiB of it.
  std::optional<std::string> text(const std::string& path) const;
  // A file that holds one whole number and nothing else, perhaps with a unit after it.
  std::optional<std::int64_t> number(const std::string& path) const;
  // A line of /proc/meminfo in bytes: memory_field("MemTotal").
  std::optional<std::uint64_t> memory_field(std::string_view name) const;
  // Names in a directory, sorted.
  std::vector<std::string> names(const std::string& path) const;
  // The last part of where a symbolic link leads.
  std::optional<std::string> link_name(const std::string& path) const;

 private:
  std::filesystem::path root_;
};

}  // namespace convoy
