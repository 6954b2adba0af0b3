// A file of safetensors: any bytes. If the first one is odd, the length of the header is made to
// end at the last brace, so that what is said in it is reached. What opens can be read whole, and
// its header says the same when it is written again.
#include <cstring>

#include "core/checkpoint/checkpoint_directory.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

std::string with_header_length(std::string_view bytes) {
  const std::size_t brace = bytes.rfind('}');
  const std::uint64_t length = brace == std::string_view::npos ? bytes.size() : brace + 1;
  std::string file(convoy::checkpoint::kSafetensorsPrefixBytes, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  return file.append(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = convoy::fuzz::as_text(data + 1, size - 1);
  static convoy::fuzz::MemoryFile memory;
  memory.write(data[0] % 2 == 1 ? with_header_length(bytes) : std::string(bytes));
  convoy::fuzz::expect_result_or_error([&] {
    const convoy::checkpoint::SafetensorsFile file(memory.path());
    std::uint64_t read = 0;
    for (const convoy::checkpoint::StoredTensor& tensor : file.tensors())
      read += file.read(tensor).size();
    const std::string header = convoy::checkpoint::format_safetensors_header(file.header());
    const convoy::checkpoint::SafetensorsHeader again =
        convoy::checkpoint::parse_safetensors_header(header, read, "written again");
    CONVOY_CHECK(convoy::checkpoint::header_checksum(again, {}) ==
                 convoy::checkpoint::header_checksum(file.header(), {}));
    for (const convoy::checkpoint::StoredTensor& tensor : file.tensors()) file.read_floats(tensor);
    convoy::checkpoint::verify_checksum(file);
  });
  return 0;
}
