#include "core/base/system_root.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>

#include "core/base/system_text.hpp"

namespace convoy {

namespace fs = std::filesystem;

bool SystemRoot::exists(const std::string& path) const {
  std::error_code error;
  return fs::exists(root_ / path, error);
}

std::optional<std::string> SystemRoot::text(const std::string& path) const {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  std::error_code error;
  if (!fs::is_regular_file(root_ / path, error)) return std::nullopt;
  std::ifstream in(root_ / path, std::ios::binary);
  if (!in) return std::nullopt;
  // Files of /proc and /sys say that they are empty: read until there is no more.
  std::string text;
  char block[4096];
  while (text.size() < kMost && (in.read(block, sizeof(block)), in.gcount() > 0))
    text.append(block, static_cast<std::size_t>(in.gcount()));
  if (in.bad() || (text.empty() && !in.eof())) return std::nullopt;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\t'))
    text.pop_back();
  return text;
}

std::optional<std::int64_t> SystemRoot::number(const std::string& path) const {
  const std::optional<std::string> found = text(path);
  if (!found) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = found->data() + found->size();
  const auto [stop, error] = std::from_chars(found->data(), end, value);
  if (error != std::errc() || (stop != end && *stop != ' ')) return std::nullopt;
  return value;
}

// "MemTotal:  16266172 kB".
std::optional<std::uint64_t> SystemRoot::memory_field(std::string_view name) const {
  const auto value = value_of(text("proc/meminfo").value_or(""), name, ':');
  const auto kibibytes = leading_number(value.value_or(""));
  if (!kibibytes) return std::nullopt;
  return *kibibytes * 1024;
}

std::vector<std::string> SystemRoot::names(const std::string& path) const {
  std::vector<std::string> result;
  std::error_code error;
  fs::directory_iterator it(root_ / path, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error))
    result.push_back(it->path().filename().string());
  std::sort(result.begin(), result.end());
  return result;
}

std::optional<std::string> SystemRoot::link_name(const std::string& path) const {
  std::error_code error;
  const fs::path target = fs::read_symlink(root_ / path, error);
  if (error) return std::nullopt;
  return target.filename().string();
}

}  // namespace convoy
