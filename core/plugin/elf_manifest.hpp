#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

namespace convoy::plugin {

// Why a file is not a usable plug-in, as a sentence part that follows its path and a colon.
class ManifestError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Bytes at known offsets; read() is only asked for ranges inside [0, size).
struct ByteSource {
  std::uint64_t size = 0;
  std::function<void(std::uint64_t offset, void* to, std::size_t bytes)> read;
};

inline constexpr std::size_t kMaximumManifestBytes = 64 * 1024;

// The contents of the section ".convoy.manifest" of a 64-bit little-endian ELF shared library for
// this machine's processor. Runs none of the file's code and trusts none of its numbers: every
// offset is checked before use. Throws ManifestError with one reason per kind of defect.
std::string read_manifest_section(const ByteSource& file);
std::string read_manifest_section(const std::filesystem::path& path);

}  // namespace convoy::plugin
