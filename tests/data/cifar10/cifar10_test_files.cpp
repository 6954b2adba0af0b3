#include "tests/data/cifar10/cifar10_test_files.hpp"

#include <fmt/format.h>

#include "tests/data/data_test_support.hpp"

namespace convoy::testing {
namespace {

std::string little_endian(std::size_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

std::string short_string(const std::string& text) {
  return "U" + little_endian(text.size(), 1) + text;
}

}  // namespace

std::uint8_t cifar10_pixel(int image, int p) {
  return static_cast<std::uint8_t>((7 * p + 31 * image + p / 1024) % 256);
}

std::string cifar10_pixels(int image) {
  std::string pixels(3072, '\0');
  for (int p = 0; p < 3072; ++p)
    pixels[static_cast<std::size_t>(p)] = static_cast<char>(cifar10_pixel(image, p));
  return pixels;
}

std::string cifar10_binary(const std::vector<int>& labels, int first) {
  std::string bytes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    bytes += static_cast<char>(labels[i]);
    bytes += cifar10_pixels(first + static_cast<int>(i));
  }
  return bytes;
}

std::string cifar10_python2_pickle(const std::vector<int>& labels, int first) {
  std::string list, data;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    list += "K" + little_endian(static_cast<std::size_t>(labels[i]), 1);
    data += cifar10_pixels(first + static_cast<int>(i));
  }
  using namespace std::string_literals;
  return "\x80\x02}q\x01("s + short_string("batch_label") + "q\x02" +
         short_string("training batch 1 of 5") + "q\x03" + short_string("labels") + "q\x04]q\x05(" +
         list + "e" + short_string("data") + "q\x06" +
         "cnumpy.core.multiarray\n_reconstruct\nq\x07"s + "cnumpy\nndarray\nq\x08K\0\x85q\x09"s +
         short_string("b") + "\x87q\x0aRq\x0b(K\x01M"s + little_endian(labels.size(), 2) + "M" +
         little_endian(3072, 2) + "\x86" + "cnumpy\ndtype\nq\x0c" + short_string("u1") +
         "K\0K\x01\x87Rq\x0d(K\x03"s + short_string("|") +
         "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb\x89T"s + little_endian(data.size(), 4) + data +
         "tbu.";
}

void write_cifar10_binary(const std::filesystem::path& folder, int per_file) {
  std::filesystem::create_directories(folder);
  for (int file = 0; file < 6; ++file) {
    const int first = file * per_file;
    std::vector<int> labels;
    labels.reserve(per_file + (file == 5 ? 1 : 0));
    for (int i = 0; i < per_file + (file == 5 ? 1 : 0); ++i) labels.push_back((first + i) % 10);
    write_file(folder / (file == 5 ? "test_batch.bin" : fmt::format("data_batch_{}.bin", file + 1)),
               cifar10_binary(labels, first));
  }
}

}  // namespace convoy::testing
