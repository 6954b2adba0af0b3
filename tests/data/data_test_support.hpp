#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/data/augment/image.hpp"
#include "core/data/jpeg/jpeg_encoder.hpp"

namespace convoy::testing {

// A new empty folder, removed with all its contents at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void write_file(const std::filesystem::path& path, const std::string& bytes);
std::string read_file(const std::filesystem::path& path);
void write_records(const std::filesystem::path& path, const std::vector<std::string>& records);

// A picture with colour gradients, edges and noise, different for every seed.
data::ByteImage make_picture(int width, int height, std::uint32_t seed);
data::ByteImage make_constant_picture(int width, int height, std::uint8_t red, std::uint8_t green,
                                      std::uint8_t blue);
std::string encode_picture(const data::ByteImage& image, const data::JpegEncoding& encoding = {});

}  // namespace convoy::testing
