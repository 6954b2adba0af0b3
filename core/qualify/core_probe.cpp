#include "core/qualify/core_probe.hpp"

#include <sched.h>

#include <cmath>
#include <cstdint>
#include <future>
#include <string>

#include "core/base/process/clocks.hpp"
#include "core/base/process/processors.hpp"
#include "core/data/jpeg/jpeg_decoder.hpp"
#include "core/data/jpeg/jpeg_encoder.hpp"

namespace convoy::qualify {
namespace {

constexpr int kWidth = 500;  // a typical width of ImageNet's pictures
constexpr int kHeight = 375;

double thread_seconds() {
  return seconds_on(CLOCK_THREAD_CPUTIME_ID);
}

// Returns waves of several lengths with some noise. The picture has about as many coefficients as
// photographs have.
std::string made_up_picture() {
  std::vector<std::uint8_t> pixels;
  std::uint32_t grain = 1;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      for (int colour = 0; colour < 3; ++colour) {
        grain = grain * 1664525u + 1013904223u;
        const double wave = std::sin(x * (0.02 + 0.01 * colour)) + std::sin(y * 0.11 + x * 0.05);
        pixels.push_back(
            static_cast<std::uint8_t>(128 + 40 * wave + static_cast<double>(grain >> 28)));
      }
  return data::encode_jpeg(pixels.data(), kWidth, kHeight, 3, {});
}

void bind_this_thread(unsigned core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  ::sched_setaffinity(0, sizeof(set), &set);
}

CoreRate decode_on(unsigned core, const std::string& picture, double seconds) {
  bind_this_thread(core);
  data::JpegDecoder decoder;
  data::ByteImage image;
  const auto decode = [&] {
    const data::ImageSize size = decoder.open(picture);
    decoder.decode({0, 0, size.width, size.height}, image);
  };
  decode();
  const double begin = steady_seconds();
  const double begin_own = thread_seconds();
  double now = begin;
  int images = 0;
  for (; now - begin < seconds; now = steady_seconds(), ++images) decode();
  return {core, images / (now - begin), (thread_seconds() - begin_own) / (now - begin)};
}

}  // namespace

std::vector<CoreRate> probe_cores(double seconds) {
  const std::string picture = made_up_picture();
  std::vector<std::future<CoreRate>> threads;
  for (const unsigned core : usable_processors())
    threads.push_back(std::async(std::launch::async, [&picture, core, seconds] {
      return decode_on(core, picture, seconds);
    }));
  std::vector<CoreRate> rates;
  rates.reserve(threads.size());
  for (std::future<CoreRate>& it : threads) rates.push_back(it.get());
  return rates;
}

}  // namespace convoy::qualify
