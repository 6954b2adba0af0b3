#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace convoy::cuda {

// The fastest of a library's candidates, by a key that names device, library version and problem.
// They are kept in a text file, one line each: "candidate<TAB>key". A file that cannot be accessed,
// or a malformed line, costs only time, because unknown problems are measured again. Several
// processes may share the file. Thread-safe.
class AlgorithmCache {
 public:
  explicit AlgorithmCache(std::filesystem::path file);

  std::optional<std::int64_t> find(const std::string& key) const;
  // Whether later processes find added entries: there is a file, and it can be written.
  bool keeps() const;
  // Adds an entry, also to the file.
  void add(const std::string& key, std::int64_t candidate);

 private:
  void read();
  std::ofstream open_end() const;

  std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::map<std::string, std::int64_t> known_;
};

// Returns $CONVOY_CACHE_DIR, else $XDG_CACHE_HOME/convoy, else $HOME/.cache/convoy; empty without
// any.
std::filesystem::path cache_folder();

}  // namespace convoy::cuda
