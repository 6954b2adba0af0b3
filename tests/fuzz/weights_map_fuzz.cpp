// A map of weights (--weights_map): any bytes. Each tensor comes from one that has a name, with
// rows in front of it that hold a number.
#include <cmath>

#include "core/runtime/state/weights_map.hpp"
#include "tests/fuzz/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static convoy::fuzz::MemoryFile file;
  file.write(convoy::fuzz::as_text(data, size));
  convoy::fuzz::expect_result_or_error([&] {
    const convoy::runtime::WeightsMap map = convoy::runtime::read_weights_map(file.path());
    for (const auto& [name, source] : map.tensors) CONVOY_CHECK(std::isfinite(source.row_value));
  });
  return 0;
}
