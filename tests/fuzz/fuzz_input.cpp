#include "tests/fuzz/fuzz_input.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

namespace convoy::fuzz {

std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

MemoryFile::MemoryFile(std::string_view bytes) : descriptor_(memfd_create("fuzz_input", 0)) {
  const auto written = write(descriptor_, bytes.data(), bytes.size());
  if (written != static_cast<ssize_t>(bytes.size())) throw std::runtime_error("no memory file");
  path_ = fmt::format("/proc/self/fd/{}", descriptor_);
}

MemoryFile::~MemoryFile() {
  close(descriptor_);
}

}  // namespace convoy::fuzz
