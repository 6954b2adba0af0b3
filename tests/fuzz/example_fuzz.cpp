// A record's payload: any bytes. What parses must also give a usable crop.
#include "core/base/error.hpp"
#include "core/data/augment/crop_sampler.hpp"
#include "core/data/tfrecord/example.hpp"
#include "tests/fuzz/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  convoy::fuzz::expect_result_or_error([&] {
    const convoy::data::LabelledImage image =
        convoy::data::parse_example(convoy::fuzz::as_text(data, size), 1001);
    CONVOY_CHECK(image.label >= 0 && image.label <= 1000);  // 0 is background
    convoy::data::CounterRandom random(1, convoy::data::RandomPurpose::kAugmentation, 0, 0);
    const convoy::data::PixelWindow window =
        convoy::data::sample_crop({70, 50}, image.boxes, random);
    CONVOY_CHECK(window.x >= 0 && window.y >= 0 && window.width > 0 && window.height > 0);
    CONVOY_CHECK(window.x + window.width <= 70 && window.y + window.height <= 50);
  });
  return 0;
}
