// Writes sample data that a small network learns: a small set in the form of ImageNet, or one in
// the form and of the size of CIFAR-10.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <numbers>
#include <string>
#include <string_view>

#include "core/base/files/output_file.hpp"
#include "core/data/augment/image.hpp"
#include "core/data/jpeg/jpeg_encoder.hpp"
#include "core/data/pipeline/counter_random.hpp"
#include "core/data/tfrecord/example.hpp"
#include "core/data/tfrecord/tfrecord_writer.hpp"

namespace convoy {
namespace {

constexpr std::uint32_t kSeed = 20170508;

// Classes are hues with horizontal or vertical stripes.
struct Kind {
  int hues;
  double shortest, longest;  // period of the stripes in pixels
  double noise;              // half range, of 255
  int classes() const { return 2 * hues; }
};
// The period suits both extremes of a training crop shown on 28 pixels: the whole picture (then it
// is about 3 pixels) and 5 % of it (then more than one period is visible).
constexpr Kind kImagenet = {4, 14, 18, 9};
// Noise hides the stripes of a single line of 32 pixels.
constexpr Kind kCifar10 = {5, 4, 8, 60};

struct Split {
  const char* name;
  int records;
  int files;
  std::uint64_t round;  // of the random numbers, so that no picture is in both splits
};
constexpr Split kSplits[] = {{"train", 1600, 4, 0}, {"validation", 320, 2, 1}};

// What the picture looks like as a whole; a pixel adds noise.
struct Scene {
  double hue, saturation, value;  // hue 0 .. 6
  double wave_x, wave_y, phase;   // radians per pixel
  double contrast;
  double light_x, light_y;  // change of brightness across the picture
  double noise;
};

Scene draw_scene(const Kind& kind, int number, data::CounterRandom& random) {
  Scene scene = {};
  scene.noise = kind.noise;
  const int pair = number / 2;  // of an upright and a lying wave, which have one hue
  scene.hue = 6.0 / kind.hues * pair + random.uniform(-0.3, 0.3) + 6;
  scene.saturation = random.uniform(0.45, 0.85);
  scene.value = random.uniform(0.5, 0.8);
  const double period = random.uniform(kind.shortest, kind.longest);
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

void paint(const Scene& scene, data::CounterRandom& random, data::ByteImage& image) {
  for (int y = 0; y < image.height; ++y) {
    std::uint8_t* pixel = image.row(y);
    for (int x = 0; x < image.width; ++x) {
      const double stripe =
          1 + scene.contrast * std::sin(scene.wave_x * x + scene.wave_y * y + scene.phase);
      const double light = 1 + scene.light_x * (double(x) / image.width - 0.5) +
                           scene.light_y * (double(y) / image.height - 0.5);
      const double value = 255 * scene.value * stripe * light;
      const double noise = random.uniform(-scene.noise, scene.noise);
      for (const int channel : {5, 3, 1}) {  // red, green, blue of a hue
        const double turn = std::fmod(channel + scene.hue, 6);
        const double dip = std::clamp(std::min(turn, 4 - turn), 0.0, 1.0);
        const double colour = value * (1 - scene.saturation * dip) + noise;
        *pixel++ = static_cast<std::uint8_t>(std::clamp(std::lrint(colour), 0L, 255L));
      }
    }
  }
}

std::string make_record(const Split& split, int number) {
  data::CounterRandom random(kSeed, data::RandomPurpose::kAugmentation,
                             static_cast<std::uint32_t>(number), split.round);
  const int category = number % kImagenet.classes();
  const Scene scene = draw_scene(kImagenet, category, random);
  data::ByteImage image;
  image.resize(96 + static_cast<int>(random.below(49)), 96 + static_cast<int>(random.below(17)));
  paint(scene, random, image);
  data::JpegEncoding encoding;
  encoding.quality = 50;
  encoding.progressive = number % 10 == 3;
  encoding.chroma_subsampling = number % 7 != 5;
  data::LabelledImage example;
  example.encoded =
      data::encode_jpeg(image.values.data(), image.width, image.height, data::kRgb, encoding);
  example.label = category + 1;
  if (number % 3 == 0) {
    const auto corner = [&] { return static_cast<float>(random.uniform(0, 0.5)); };
    example.boxes.push_back({corner(), corner(), 1 - corner(), 1 - corner()});
  }
  return data::serialise_example(example);
}

void write_split(const std::filesystem::path& folder, const Split& split) {
  const int per_file = split.records / split.files;
  for (int file = 0; file < split.files; ++file) {
    data::TfRecordWriter writer(folder /
                                fmt::format("{}-{:05}-of-{:05}", split.name, file, split.files));
    for (int i = 0; i < per_file; ++i) writer.write(make_record(split, file * per_file + i));
    writer.close();
  }
}

void write_imagenet(const std::filesystem::path& folder) {
  for (const Split& split : kSplits) write_split(folder, split);
}

// A record of the binary form: the label, then planes of red, green and blue.
void append_cifar10_record(std::uint32_t number, std::string& out) {
  data::CounterRandom random(kSeed, data::RandomPurpose::kAugmentation, number, 2);
  const int category = static_cast<int>(number) % kCifar10.classes();
  data::ByteImage image;
  image.resize(32, 32);
  paint(draw_scene(kCifar10, category, random), random, image);
  out += static_cast<char>(category);
  for (std::size_t channel = 0; channel < 3; ++channel)
    for (std::size_t pixel = 0; pixel < 32 * 32; ++pixel)
      out += static_cast<char>(image.values[3 * pixel + channel]);
}

void write_cifar10(const std::filesystem::path& folder) {
  constexpr std::uint32_t kPerFile = 10000;
  const char* const names[] = {"data_batch_1", "data_batch_2", "data_batch_3",
                               "data_batch_4", "data_batch_5", "test_batch"};
  std::uint32_t number = 0;
  for (const char* const name : names) {
    std::string records;
    for (std::uint32_t i = 0; i < kPerFile; ++i) append_cifar10_record(number++, records);
    write_output_file(folder / fmt::format("{}.bin", name), records);
  }
}

}  // namespace
}  // namespace convoy

int main(int argc, char** argv) {
  const bool cifar10 = argc == 3 && std::string_view(argv[1]) == "--cifar10";
  if (argc != 2 && !cifar10) {
    fmt::print(
        stderr,
        "usage: {} [--cifar10] FOLDER\nWrites the sample data set into FOLDER, or one in the "
        "binary form of CIFAR-10 (180 MB).\n",
        argv[0]);
    return 2;
  }
  try {
    const std::filesystem::path folder = argv[argc - 1];
    std::filesystem::create_directories(folder);
    cifar10 ? convoy::write_cifar10(folder) : convoy::write_imagenet(folder);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
