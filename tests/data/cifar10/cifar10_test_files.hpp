#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace convoy::testing {

// Value p of image i of a file of CIFAR-10, 3072 of them; the committed pickles hold the same.
std::uint8_t cifar10_pixel(int image, int p);
std::string cifar10_pixels(int image);

// A file of the binary form: image i of it is cifar10_pixels(first + i).
std::string cifar10_binary(const std::vector<int>& labels, int first = 0);

// The same as cPickle of Python 2 wrote the published files: protocol 2, strings as bytes.
std::string cifar10_python2_pickle(const std::vector<int>& labels, int first = 0);

// data_batch_1.bin to data_batch_5.bin of `per_file` images each and test_batch.bin of one more;
// image g of the whole has label g % 10 and cifar10_pixels(g).
void write_cifar10_binary(const std::filesystem::path& folder, int per_file);

}  // namespace convoy::testing
