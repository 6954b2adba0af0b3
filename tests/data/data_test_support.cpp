#include "tests/data/data_test_support.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "core/data/pipeline/counter_random.hpp"
#include "core/data/tfrecord/tfrecord_writer.hpp"

namespace convoy::testing {

using data::ByteImage;

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "convoy_data_test_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream << bytes;
  stream.close();
  ASSERT_TRUE(stream) << path;
}

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

void write_records(const std::filesystem::path& path, const std::vector<std::string>& records) {
  data::TfRecordWriter writer(path);
  for (const std::string& record : records) writer.write(record);
  writer.close();
}

ByteImage make_picture(int width, int height, std::uint32_t seed) {
  data::CounterRandom random(seed, data::RandomPurpose::kAugmentation, 0, 99);
  ByteImage image;
  image.resize(width, height);
  const double wave = random.uniform(0.05, 0.3);
  for (int y = 0; y < height; ++y) {
    std::uint8_t* pixel = image.row(y);
    for (int x = 0; x < width; ++x) {
      const double red = 255.0 * x / width + random.uniform(-10, 10);
      const double green = 128 + 100 * std::sin(wave * y) + random.uniform(-10, 10);
      const double blue = (x / 9 + y / 7) % 2 == 0 ? 40 : 200;
      for (const double value : {red, green, blue}) {
        *pixel++ = static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
      }
    }
  }
  return image;
}

ByteImage make_constant_picture(int width, int height, std::uint8_t red, std::uint8_t green,
                                std::uint8_t blue) {
  ByteImage image;
  image.resize(width, height);
  for (std::size_t i = 0; i < image.values.size(); i += data::kRgb) {
    image.values[i] = red;
    image.values[i + 1] = green;
    image.values[i + 2] = blue;
  }
  return image;
}

std::string encode_picture(const ByteImage& image, const data::JpegEncoding& encoding) {
  return data::encode_jpeg(image.values.data(), image.width, image.height, data::kRgb, encoding);
}

}  // namespace convoy::testing
