// The file of fastest algorithms that runs on GPUs keep: any bytes. What is found in it is a number
// of a candidate.
#include <fstream>

#include "core/base/error.hpp"
#include "plugins/devices/cuda/libraries/algorithm_cache.hpp"
#include "tests/fuzz/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static convoy::fuzz::MemoryFile file;
  const std::string_view bytes = convoy::fuzz::as_text(data, size);
  file.write(bytes);
  const convoy::cuda::AlgorithmCache cache(file.path());
  const std::size_t tab = std::min(bytes.find('\t'), bytes.size());
  const std::size_t end = std::min(bytes.find('\n', tab), bytes.size());
  const std::string_view key = bytes.substr(std::min(tab + 1, end), end - std::min(tab + 1, end));
  if (const auto found = cache.find(std::string(key))) CONVOY_CHECK(*found >= 0);
  return 0;
}
