// A file of CIFAR-10 in binary form: any bytes, with a first one that says how often they stand
// there, so that short inputs reach whole images. Images that cannot be used are left out or, if
// that byte is odd, end it.
#include "core/data/cifar10/cifar10_images.hpp"
#include "tests/fuzz/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace convoy::data;
  static const std::vector<std::string> kNames = {"test_batch.bin"};
  static convoy::fuzz::MemoryFolder folder(kNames);
  if (size == 0) return 0;
  static std::string bytes;  // they are many: their memory stays
  bytes.clear();
  for (int i = 0; i <= data[0]; ++i) bytes += convoy::fuzz::as_text(data + 1, size - 1);
  folder.write(kNames.front(), bytes);
  convoy::fuzz::expect_result_or_error([&] {
    const Cifar10Images images =
        read_cifar10(folder.path(), Subset::kValidation,
                     data[0] % 2 == 1 ? BadRecordPolicy::kFail : BadRecordPolicy::kSkip);
    CONVOY_CHECK(images.count() > 0 && images.skipped >= 0);
    CONVOY_CHECK(static_cast<std::int64_t>(images.pixels.size()) ==
                 images.count() * kCifar10ImageBytes);
    for (const std::uint8_t label : images.labels) CONVOY_CHECK(label <= kCifar10LargestLabel);
  });
  return 0;
}
