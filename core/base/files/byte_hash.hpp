#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

struct XXH3_state_s;

namespace convoy {

// XXH3 with 128 bits, in its canonical form: what xxh128sum prints. For files and parameters, which
// are large; fnv.hpp hashes short texts.
class ByteHash {
 public:
  ByteHash();

  void add(std::span<const std::byte> bytes);
  // Of all bytes so far: 32 hexadecimal digits.
  std::string digits() const;

 private:
  struct FreeState {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, FreeState> state_;
};

// The hash of a file's bytes; of no bytes where the file cannot be read.
std::string file_hash(const std::filesystem::path& path);

}  // namespace convoy
