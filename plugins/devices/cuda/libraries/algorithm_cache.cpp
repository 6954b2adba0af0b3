#include "plugins/devices/cuda/libraries/algorithm_cache.hpp"

#include <charconv>
#include <cstdlib>

namespace convoy::cuda {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

AlgorithmCache::AlgorithmCache(std::filesystem::path file) : file_(std::move(file)) {
  read();
}

void AlgorithmCache::read() {
  if (file_.empty()) return;
  std::ifstream stream(file_);
  std::string line;
  while (std::getline(stream, line)) {
    const std::size_t tab = line.find('\t');
    std::int64_t candidate = -1;
    if (tab == std::string::npos || tab + 1 == line.size()) continue;
    const auto [end, error] = std::from_chars(line.data(), line.data() + tab, candidate);
    if (error != std::errc() || end != line.data() + tab || candidate < 0) continue;
    known_[line.substr(tab + 1)] = candidate;
  }
}

std::optional<std::int64_t> AlgorithmCache::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

std::ofstream AlgorithmCache::open_end() const {
  std::error_code error;
  std::filesystem::create_directories(file_.parent_path(), error);
  return std::ofstream(file_, std::ios::app);
}

bool AlgorithmCache::keeps() const {
  return !file_.empty() && open_end().is_open();
}

// Makes one short write at the end of the file, so that lines of several processes do not mix.
void AlgorithmCache::add(const std::string& key, std::int64_t candidate) {
  const std::lock_guard lock(mutex_);
  known_[key] = candidate;
  if (file_.empty()) return;
  open_end() << std::to_string(candidate) + "\t" + key + "\n" << std::flush;
}

std::filesystem::path cache_folder() {
  if (const std::string own = variable("CONVOY_CACHE_DIR"); !own.empty()) return own;
  if (const std::string shared = variable("XDG_CACHE_HOME"); !shared.empty())
    return std::filesystem::path(shared) / "convoy";
  if (const std::string home = variable("HOME"); !home.empty())
    return std::filesystem::path(home) / ".cache" / "convoy";
  return {};
}

}  // namespace convoy::cuda
