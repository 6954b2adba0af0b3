#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace convoy::cuda {

// Which of a library's candidates was fastest, by a key that names device, library version and
// problem; kept in a text file, a line each: "candidate<TAB>key". A file that cannot be read or
// written, or a line that makes no sense, costs only time: what is not known is measured again.
// Several processes may share the file. Thread-safe.
class AlgorithmCache {
 public:
  explicit AlgorithmCache(std::filesystem::path file);

  std::optional<std::int64_t> find(const std::string& key) const;
  // Whether later processes find what is added: there is a file, and it can be written.
  bool keeps() const;
  // Remembers it, in the file too.
  void add(const std::string& key, std::int64_t candidate);

 private:
  void read();
  std::ofstream open_end() const;

  std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::map<std::string, std::int64_t> known_;
};

// $CONVOY_CACHE_DIR, else $XDG_CACHE_HOME/convoy, else $HOME/.cache/convoy; empty without any.
std::filesystem::path cache_folder();

}  // namespace convoy::cuda
