// What one core prepares for training: photographs of 500 x 375 pixels and about 90 kB, as ImageNet
// has them, beside a plain full decode of the same files by the same library.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <vector>

// libjpeg's header needs <cstdio> before it.
#include <jpeglib.h>

#include "core/data/augment/image_preprocessor.hpp"
#include "core/data/tfrecord/crc32c.hpp"
#include "tests/benchmarks/input_pictures.hpp"

namespace convoy {
namespace {

using data::DataOptions;

constexpr int kWidth = 500;
constexpr int kHeight = 375;
constexpr std::size_t kFileBytes = 90'000;
constexpr int kFiles = 16;
constexpr int kSize = 224;  // pixels of a model's input, both ways

const std::vector<std::string>& photographs() {
  static const std::vector<std::string> kPhotographs =
      make_photographs(kFiles, kWidth, kHeight, kFileBytes);
  return kPhotographs;
}

const std::vector<std::string>& large_photographs() {
  static const std::vector<std::string> kPhotographs = make_photographs(4, 2000, 1500, 1'000'000);
  return kPhotographs;
}

const std::string& file_of(const std::vector<std::string>& files, std::int64_t number) {
  return files[static_cast<std::size_t>(number) % files.size()];
}

// As a program decodes that uses libjpeg without thought: everything, to three bytes per pixel.
void decode_plainly(const std::string& file, std::vector<unsigned char>& pixels) {
  jpeg_decompress_struct info = {};
  jpeg_error_mgr errors = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&info, TRUE);
  info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info);
  const std::size_t row_bytes = std::size_t{info.output_width} * 3;
  pixels.resize(row_bytes * info.output_height);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = pixels.data() + row_bytes * info.output_scanline;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
}

void full_decode(benchmark::State& state) {
  const std::vector<std::string>& files = photographs();
  std::vector<unsigned char> pixels;
  std::int64_t number = 0;
  for (auto step : state) decode_plainly(file_of(files, number++), pixels);
  state.SetItemsProcessed(state.iterations());
  double bytes = 0;
  for (const std::string& file : files) bytes += static_cast<double>(file.size());
  state.counters["file_bytes"] = bytes / static_cast<double>(files.size());
}
BENCHMARK(full_decode);

// Every iteration another picture and another crop, drawn as in training.
void prepare(benchmark::State& state, const std::vector<std::string>& files,
             const DataOptions& options) {
  data::ImagePreprocessor preprocessor(options);
  std::vector<float> result(static_cast<std::size_t>(options.image_elements()));
  std::int64_t number = 0;
  for (auto step : state) {
    data::CounterRandom random(1, data::RandomPurpose::kAugmentation,
                               static_cast<std::uint32_t>(number), 0);
    preprocessor.prepare_training({file_of(files, number), 1, {}}, number, random, result.data());
    benchmark::DoNotOptimize(result.data());
    ++number;
  }
  state.SetItemsProcessed(state.iterations());
}

DataOptions options_of(bool distortions, bool in_yiq) {
  DataOptions options;
  options.width = options.height = kSize;
  options.distortions = distortions;
  options.distort_in_yiq = in_yiq;
  return options;
}

void training(benchmark::State& state) {
  prepare(state, photographs(), options_of(false, true));
}
BENCHMARK(training);

void training_distorted_in_yiq(benchmark::State& state) {
  prepare(state, photographs(), options_of(true, true));
}
BENCHMARK(training_distorted_in_yiq);

void training_distorted_in_hsv(benchmark::State& state) {
  prepare(state, photographs(), options_of(true, false));
}
BENCHMARK(training_distorted_in_hsv);

// 2000 x 1500 pixels, 1 MB: crops that are decoded smaller.
void training_large(benchmark::State& state) {
  prepare(state, large_photographs(), options_of(false, true));
}
BENCHMARK(training_large);

void evaluation(benchmark::State& state) {
  data::ImagePreprocessor preprocessor(options_of(false, true));
  std::vector<float> result(3 * kSize * kSize);
  std::int64_t number = 0;
  for (auto step : state) {
    preprocessor.prepare_evaluation({file_of(photographs(), number++), 1, {}}, 0, result.data());
    benchmark::DoNotOptimize(result.data());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(evaluation);

void checksum(benchmark::State& state) {
  const std::string& file = photographs().front();
  for (auto step : state) benchmark::DoNotOptimize(data::masked_crc32c(file));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file.size()));
}
BENCHMARK(checksum);

}  // namespace
}  // namespace convoy
