#include "core/base/files/byte_hash.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "core/base/error.hpp"

namespace convoy {

void ByteHash::FreeState::operator()(XXH3_state_s* state) const {
  XXH3_freeState(state);
}

ByteHash::ByteHash() : state_(XXH3_createState()) {
  CONVOY_CHECK(state_ != nullptr && XXH3_128bits_reset(state_.get()) == XXH_OK);
}

void ByteHash::add(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
}

std::string ByteHash::digits() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_.get()));
  std::string text;
  for (const unsigned char byte : canonical.digest) text += fmt::format("{:02x}", byte);
  return text;
}

std::string file_hash(const std::filesystem::path& path) {
  constexpr std::size_t kPiece = 1 << 18;
  ByteHash hash;
  std::ifstream in(path, std::ios::binary);
  std::vector<char> piece(kPiece);
  while (in.read(piece.data(), kPiece), in.gcount() > 0)
    hash.add(std::as_bytes(std::span(piece).first(static_cast<std::size_t>(in.gcount()))));
  if (!in.eof())
    fail(ExitCode::kFailed, "{}: cannot be read: {}", path.string(), std::strerror(errno));
  return hash.digits();
}

}  // namespace convoy
