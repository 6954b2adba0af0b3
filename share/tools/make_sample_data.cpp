// Writes the sample data set: a small one in the form of ImageNet that a small network learns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <numbers>
#include <string>

#include "core/base/error.hpp"
#include "core/data/augment/image.hpp"
#include "core/data/jpeg/jpeg_encoder.hpp"
#include "core/data/pipeline/counter_random.hpp"
#include "core/data/tfrecord/example.hpp"
#include "core/data/tfrecord/tfrecord_writer.hpp"

namespace convoy {
namespace {

constexpr std::uint32_t kSeed = 20170508;
constexpr int kClasses = 8;   // four hues, with horizontal or vertical stripes
constexpr double kNoise = 9;  // half range of the noise, of 255

struct Split {
  const char* name;
  int records;
  int files;
  std::uint64_t round;  // of the random numbers, so that no picture is in both splits
};
constexpr Split kSplits[] = {{"train", 1600, 4, 0}, {"validation", 320, 2, 1}};

// What the picture looks like as a whole; a pixel adds noise. The period suits both extremes of a
// training crop shown on 28 pixels: the whole picture (then it is about 3 pixels) and 5 % of it
// (then more than one period is visible).
struct Scene {
  double hue, saturation, value;  // hue 0 .. 6
  double wave_x, wave_y, phase;   // radians per pixel
  double contrast;
  double light_x, light_y;  // change of brightness across the picture
};

Scene draw_scene(int number, CounterRandom& random) {
  Scene scene = {};
  scene.hue = 1.5 * (number / 2) + random.uniform(-0.3, 0.3) + 6;
  scene.saturation = random.uniform(0.45, 0.85);
  scene.value = random.uniform(0.5, 0.8);
  const double period = random.uniform(14, 18);
  const double across = number % 2 == 0 ? 0 : std::numbers::pi / 2;
  const double angle = across + random.uniform(-0.15, 0.15);
  scene.wave_x = 2 * std::numbers::pi / period * std::cos(angle);
  scene.wave_y = 2 * std::numbers::pi / period * std::sin(angle);
  scene.phase = random.uniform(0, 2 * std::numbers::pi);
  scene.contrast = random.uniform(0.2, 0.4);
  scene.light_x = random.uniform(-0.3, 0.3);
  scene.light_y = random.uniform(-0.3, 0.3);
  return scene;
}

ByteImage paint(const Scene& scene, CounterRandom& random) {
  ByteImage image;
  image.resize(96 + static_cast<int>(random.below(49)), 96 + static_cast<int>(random.below(17)));
  for (int y = 0; y < image.height; ++y) {
    std::uint8_t* pixel = image.row(y);
    for (int x = 0; x < image.width; ++x) {
      const double stripe =
          1 + scene.contrast * std::sin(scene.wave_x * x + scene.wave_y * y + scene.phase);
      const double light = 1 + scene.light_x * (double(x) / image.width - 0.5) +
                           scene.light_y * (double(y) / image.height - 0.5);
      const double value = 255 * scene.value * stripe * light;
      const double noise = random.uniform(-kNoise, kNoise);
      for (const int channel : {5, 3, 1}) {  // red, green, blue of a hue
        const double turn = std::fmod(channel + scene.hue, 6);
        const double dip = std::clamp(std::min(turn, 4 - turn), 0.0, 1.0);
        const double colour = value * (1 - scene.saturation * dip) + noise;
        *pixel++ = static_cast<std::uint8_t>(std::clamp(std::lrint(colour), 0L, 255L));
      }
    }
  }
  return image;
}

std::string make_record(const Split& split, int number) {
  CounterRandom random(kSeed, RandomPurpose::kAugmentation, static_cast<std::uint32_t>(number),
                       split.round);
  const int category = number % kClasses;
  const Scene scene = draw_scene(category, random);
  const ByteImage image = paint(scene, random);
  JpegEncoding encoding;
  encoding.quality = 50;
  encoding.progressive = number % 10 == 3;
  encoding.chroma_subsampling = number % 7 != 5;
  LabelledImage example;
  example.encoded = encode_jpeg(image.values.data(), image.width, image.height, kRgb, encoding);
  example.label = category + 1;
  if (number % 3 == 0) {
    const auto corner = [&] { return static_cast<float>(random.uniform(0, 0.5)); };
    example.boxes.push_back({corner(), corner(), 1 - corner(), 1 - corner()});
  }
  return serialise_example(example);
}

void write_split(const std::filesystem::path& folder, const Split& split) {
  const int per_file = split.records / split.files;
  for (int file = 0; file < split.files; ++file) {
    TfRecordWriter writer(folder / fmt::format("{}-{:05}-of-{:05}", split.name, file, split.files));
    for (int i = 0; i < per_file; ++i) writer.write(make_record(split, file * per_file + i));
    writer.close();
  }
}

}  // namespace
}  // namespace convoy

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} FOLDER\nWrites the sample data set into FOLDER.\n", argv[0]);
    return 2;
  }
  try {
    std::filesystem::create_directories(argv[1]);
    for (const convoy::Split& split : convoy::kSplits) convoy::write_split(argv[1], split);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
