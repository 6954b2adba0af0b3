#include "tests/fuzz/fuzz_input.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

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
  const auto written = pwrite(descriptor_, bytes.data(), bytes.size(), 0);
  if (written != static_cast<ssize_t>(bytes.size()) || ftruncate(descriptor_, written) != 0)
    throw std::runtime_error("the memory file was not written");
}

}  // namespace convoy::fuzz
