#include "tests/benchmarks/input_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/data/augment/image.hpp"
#include "core/data/jpeg/jpeg_encoder.hpp"
#include "core/data/pipeline/counter_random.hpp"

namespace convoy {
namespace {

using data::ByteImage;
using data::CounterRandom;

// Random values on a grid of `cell` pixels, interpolated, added to `field` with this weight.
void add_octave(std::vector<float>& field, int width, int height, int cell, float weight,
                CounterRandom& random) {
  const int columns = width / cell + 2, rows = height / cell + 2;
  std::vector<float> grid(static_cast<std::size_t>(columns) * rows);
  for (float& value : grid) value = static_cast<float>(random.uniform(-1, 1));
  for (int y = 0; y < height; ++y) {
    const float fy = static_cast<float>(y % cell) / static_cast<float>(cell);
    const float* top = grid.data() + static_cast<std::size_t>(y / cell) * columns;
    const float* bottom = top + columns;
    for (int x = 0; x < width; ++x) {
      const float fx = static_cast<float>(x % cell) / static_cast<float>(cell);
      const int i = x / cell;
      const float upper = top[i] + (top[i + 1] - top[i]) * fx;
      const float lower = bottom[i] + (bottom[i + 1] - bottom[i]) * fx;
      field[static_cast<std::size_t>(y) * width + x] += weight * (upper + (lower - upper) * fy);
    }
  }
}

// Contrast falls with the wavelength to this power; photographs are near 1.
std::vector<float> make_field(int width, int height, int finest, CounterRandom& random) {
  constexpr float kFalling = 0.9f;
  std::vector<float> field(static_cast<std::size_t>(width) * height);
  for (int cell = 128; cell >= finest; cell /= 2)
    add_octave(field, width, height, cell, std::pow(static_cast<float>(cell) / 128, kFalling),
               random);
  return field;
}

ByteImage paint(int width, int height, CounterRandom& random) {
  const std::vector<float> light = make_field(width, height, 1, random);
  const std::vector<float> warm = make_field(width, height, 8, random);
  const std::vector<float> green = make_field(width, height, 8, random);
  ByteImage image;
  image.resize(width, height);
  for (std::size_t i = 0; i < light.size(); ++i) {
    const float channels[] = {light[i] * 90 + warm[i] * 30, light[i] * 90 + green[i] * 20,
                              light[i] * 90 - warm[i] * 30};
    for (std::size_t c = 0; c < data::kRgb; ++c)
      image.values[data::kRgb * i + c] =
          static_cast<std::uint8_t>(std::clamp(128 + channels[c], 0.0f, 255.0f));
  }
  return image;
}

}  // namespace

std::vector<std::string> make_photographs(int count, int width, int height, std::size_t bytes) {
  std::vector<std::string> files;
  for (int number = 0; number < count; ++number) {
    CounterRandom random(1, data::RandomPurpose::kAugmentation, static_cast<std::uint32_t>(number),
                         7);
    const ByteImage image = paint(width, height, random);
    std::string best;
    const auto away = [bytes](const std::string& file) {
      return file.size() > bytes ? file.size() - bytes : bytes - file.size();
    };
    for (int low = 1, high = 100; low <= high;) {
      const int quality = (low + high) / 2;
      std::string file =
          data::encode_jpeg(image.values.data(), width, height, data::kRgb, {quality, false, true});
      (file.size() <= bytes ? low : high) = file.size() <= bytes ? quality + 1 : quality - 1;
      if (best.empty() || away(file) < away(best)) best = std::move(file);
    }
    files.push_back(std::move(best));
  }
  return files;
}

}  // namespace convoy
