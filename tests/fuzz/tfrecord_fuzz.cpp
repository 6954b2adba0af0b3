// A TFRecord file: any bytes after the first one. If that is odd, checksums are made right where
// the framing says that they stand, so that what lies behind them is reached.
#include <cstring>

#include "core/data/tfrecord/crc32c.hpp"
#include "core/data/tfrecord/tfrecord_reader.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

void put_checksum(std::string& file, std::size_t first, std::size_t count, std::size_t at) {
  if (at + 4 > file.size()) return;
  const std::uint32_t checksum =
      convoy::data::masked_crc32c(std::string_view(file).substr(first, count));
  std::memcpy(file.data() + at, &checksum, 4);
}

void repair(std::string& file) {
  std::size_t at = 0;
  while (file.size() - at >= convoy::data::kRecordHeaderBytes) {
    std::uint64_t length = 0;
    std::memcpy(&length, file.data() + at, 8);
    put_checksum(file, at, 8, at + 8);
    const std::size_t payload = at + convoy::data::kRecordHeaderBytes;
    if (length > file.size() - payload) return;
    put_checksum(file, payload, length, payload + length);
    at = payload + length + convoy::data::kRecordFooterBytes;
    if (at > file.size()) return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string file(convoy::fuzz::as_text(data + 1, size - 1));
  if (data[0] % 2 == 1) repair(file);
  static convoy::fuzz::MemoryFile memory;
  memory.write(file);
  convoy::fuzz::expect_result_or_error([&] {
    const convoy::data::TfRecordReader reader(memory.path());
    std::string payload;
    std::uint64_t offset = 0;
    while (const auto location = reader.locate(offset)) {
      reader.read(*location, payload);
      offset = location->end();
    }
  });
  return 0;
}
