#include "tests/fuzz/fuzz_input.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace convoy::fuzz {

std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

MemoryFile::MemoryFile()
    : descriptor_(memfd_create("fuzz_input", 0)),
      path_(fmt::format("/proc/self/fd/{}", descriptor_)) {}

MemoryFile::~MemoryFile() {
  close(descriptor_);
}

void MemoryFile::write(std::string_view bytes) {
  if (bytes == bytes_) return;
  const auto written = pwrite(descriptor_, bytes.data(), bytes.size(), 0);
  if (written != static_cast<ssize_t>(bytes.size()) || ftruncate(descriptor_, written) != 0)
    throw std::runtime_error("the memory file was not written");
  bytes_ = bytes;
}

MemoryFolder::MemoryFolder(std::span<const std::string> names) {
  std::string folder = std::filesystem::temp_directory_path() / "fuzz_XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no folder was made");
  path_ = folder;
  for (const std::string& name : names) {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::filesystem::create_symlink(files_[name].path(), path_ / name);
  }
}

MemoryFolder::~MemoryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace convoy::fuzz
