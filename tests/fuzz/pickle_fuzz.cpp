// CIFAR-10's Python form: any bytes.
#include "core/data/cifar10/cifar10_pickle.hpp"
#include "tests/fuzz/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  convoy::fuzz::expect_result_or_error(
      [&] { convoy::data::unpickle_cifar10(convoy::fuzz::as_text(data, size), "fuzz"); });
  return 0;
}
