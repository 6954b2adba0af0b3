#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

struct XXH3_state_s;

namespace convoy {

// The 128-bit XXH3 hash in its canonical form, as xxh128sum prints it. It is meant for files and
// parameters, which are large. fnv.hpp hashes short texts.
class ByteHash {
 public:
  ByteHash();

  void add(std::span<const std::byte> bytes);
  // Returns the hash of all bytes added so far, as 32 hexadecimal digits.
  std::string digits() const;

 private:
  struct FreeState {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, FreeState> state_;
};

// Returns the hash of a file's bytes. Error (kFailed) if it cannot be read.
std::string file_hash(const std::filesystem::path& path);

}  // namespace convoy
