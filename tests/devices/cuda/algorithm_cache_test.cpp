#include "plugins/devices/cuda/libraries/algorithm_cache.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "plugins/devices/cuda/libraries/convolution_shape.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy::cuda {
namespace {

// In a folder that is not there yet.
class AlgorithmCaches : public testing::Test {
 protected:
  const std::filesystem::path& cache_file() const { return file_; }

 private:
  std::filesystem::path file_ =
      std::filesystem::path(scratch_folder("algorithms")) / "deep" / "algorithms.txt";
};

TEST_F(AlgorithmCaches, RemembersAcrossProcesses) {
  AlgorithmCache(cache_file()).add("H200 cudnn 91900 forward f32 1 2 3", 4);
  AlgorithmCache(cache_file()).add("another key", 0);
  const AlgorithmCache later(cache_file());
  EXPECT_EQ(later.find("H200 cudnn 91900 forward f32 1 2 3"), 4);
  EXPECT_EQ(later.find("another key"), 0);
  EXPECT_EQ(later.find("H200 cudnn 91900 forward f32 1 2 4"), std::nullopt);
}

TEST_F(AlgorithmCaches, TakesTheLastOfTwoAnswers) {
  AlgorithmCache cache(cache_file());
  cache.add("key", 1);
  cache.add("key", 2);
  EXPECT_EQ(AlgorithmCache(cache_file()).find("key"), 2);
}

TEST_F(AlgorithmCaches, OverlooksLinesThatMakeNoSense) {
  std::filesystem::create_directories(cache_file().parent_path());
  std::ofstream(cache_file()) << "no tab\n\t\nx\tkey\n-1\tkey\n3 \tkey\n99999999999999999999\tkey\n"
                              << "5\tgood\n7\t";
  const AlgorithmCache cache(cache_file());
  EXPECT_EQ(cache.find("key"), std::nullopt);
  EXPECT_EQ(cache.find("good"), 5);
}

TEST_F(AlgorithmCaches, WorksWithoutAFile) {
  AlgorithmCache nowhere{std::filesystem::path()};
  nowhere.add("key", 3);
  EXPECT_EQ(nowhere.find("key"), 3);
  EXPECT_FALSE(nowhere.keeps());
  AlgorithmCache impossible("/proc/no/such/folder/file");
  impossible.add("key", 3);
  EXPECT_EQ(impossible.find("key"), 3);
  EXPECT_FALSE(impossible.keeps());
  EXPECT_TRUE(AlgorithmCache(cache_file()).keeps());
}

TEST(ConvolutionKey, TellsApartWhatNeedsAnotherAlgorithm) {
  ConvolutionShape shape;
  shape.images = 32;
  shape.in_channels = shape.out_channels = 64;
  const std::string key = key_of(shape, ConvolutionPass::kForward);
  EXPECT_NE(key, key_of(shape, ConvolutionPass::kData));
  for (std::int64_t ConvolutionShape::*size :
       {&ConvolutionShape::images, &ConvolutionShape::in_height, &ConvolutionShape::stride_width,
        &ConvolutionShape::pad_bottom, &ConvolutionShape::groups}) {
    ConvolutionShape other = shape;
    other.*size += 1;
    EXPECT_NE(key, key_of(other, ConvolutionPass::kForward));
  }
  ConvolutionShape rounded = shape;
  rounded.tf32 = true;
  EXPECT_NE(key, key_of(rounded, ConvolutionPass::kForward));
  shape.type = rounded.type = Type::kBfloat;
  EXPECT_EQ(key_of(shape, ConvolutionPass::kForward), key_of(rounded, ConvolutionPass::kForward))
      << "TF32 is about factors of f32";
}

}  // namespace
}  // namespace convoy::cuda
