// A message between a task and its coordinator: any bytes, read as either's. What is read says the
// same when it is written and read again.
#include <stdexcept>

#include "core/base/error.hpp"
#include "core/network/grpc/convert.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

template <typename Wire>
void read_message(std::string_view bytes) {
  Wire wire;
  if (!wire.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  try {
    const auto message = convoy::network::read(wire);
    Wire written;
    convoy::network::write(message, written);
    Wire again;
    convoy::network::write(convoy::network::read(written), again);
    CONVOY_CHECK(again.SerializeAsString() == written.SerializeAsString());
  } catch (const std::invalid_argument&) {
    return;  // refused, as it should be
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = convoy::fuzz::as_text(data, size);
  read_message<convoy::network::v1::TaskMessage>(bytes);
  read_message<convoy::network::v1::CoordinatorMessage>(bytes);
  return 0;
}
