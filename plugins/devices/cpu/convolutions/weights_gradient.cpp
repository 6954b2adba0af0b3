#include "plugins/devices/cpu/convolutions/weights_gradient.hpp"

#include <algorithm>

#include "plugins/devices/cpu/cache_lines.hpp"
#include "plugins/devices/cpu/convolutions/sum_of_parts.hpp"
#include "plugins/devices/cpu/lanes/team.hpp"

namespace convoy::cpu {
namespace {

// The weights of a tile and the pixels of a chunk share a second-level cache of 512 KiB.
constexpr std::size_t kTileFloats = std::size_t{40} << 10;
// Three blocks of a chunk's result and one of its source stay in a first-level cache of 32 KiB.
constexpr std::size_t kChunkFloats = std::size_t{6} << 10;
// Enough tasks for an even distribution over a few threads.
constexpr std::size_t kTasks = 32;
// Every part of the batch writes and reads this many gradients.
constexpr std::size_t kPartFloats = std::size_t{1} << 20;

// The positions of the result whose source, for a tap at an offset, is on the image.
struct Valid {
  std::size_t first, count;
};

Valid valid_positions(std::size_t tap, std::size_t pad, std::size_t stride, std::size_t source,
                      std::size_t first, std::size_t count) {
  const std::size_t low = tap >= pad ? 0 : divide_up(pad - tap, stride);
  const std::size_t high = source + pad > tap ? divide_up(source + pad - tap, stride) : 0;
  const std::size_t begin = std::max(low, first);
  const std::size_t end = std::min(high, first + count);
  return {begin, end > begin ? end - begin : 0};
}

std::size_t chunk_pixels(const ConvolutionShape& shape) {
  const std::size_t strides = shape.stride_height * shape.stride_width;
  return kChunkFloats / (shape.block * (TapKernels::kMaxColumns + strides));
}

// Returns one long row instead of several short ones if the result is the same.
ConvolutionShape flattened(ConvolutionShape shape) {
  if (!is_dense_1x1(shape) || shape.in_height * shape.in_width > chunk_pixels(shape)) return shape;
  shape.in_width = shape.out_width = shape.in_height * shape.in_width;
  shape.in_height = shape.out_height = 1;
  return shape;
}

}  // namespace

WeightsGradient::WeightsGradient(const ConvolutionShape& shape)
    : shape_(flattened(shape)),
      kernels_(&tap_kernels(shape.block)),
      in_blocks_(shape.in_channels / shape.block),
      out_blocks_(shape.out_channels / shape.block),
      taps_(shape.kernel_height * shape.kernel_width) {
  const std::size_t unit = shape.block * shape.block * taps_;
  tile_in_ = tile_out_ = 1;
  while (4 * tile_in_ * tile_out_ * unit <= kTileFloats && tile_out_ * shape.block < 128) {
    tile_in_ *= 2;
    tile_out_ *= 2;
  }
  tile_in_ = std::min(tile_in_, in_blocks_);
  tile_out_ = std::min(tile_out_, out_blocks_);
  weights_floats_ = in_blocks_ * out_blocks_ * unit;
  const std::size_t wanted = divide_up(kTasks, tiles());
  const std::size_t affordable = std::max<std::size_t>(kPartFloats / weights_floats_, 1);
  parts_ = std::min({wanted, affordable, shape.batch});
  const std::size_t pixels = shape_.out_height * shape_.out_width;
  chunk_images_ = std::max<std::size_t>(chunk_pixels(shape) / pixels, 1);
  chunk_rows_ = chunk_images_ > 1
                    ? shape_.out_height
                    : std::max<std::size_t>(chunk_pixels(shape) / shape_.out_width, 1);
}

std::size_t WeightsGradient::tiles() const {
  return divide_up(in_blocks_, tile_in_) * divide_up(out_blocks_, tile_out_);
}

std::size_t WeightsGradient::scratch_floats() const {
  return parts_ * shape_.out_channels + (parts_ > 1 ? parts_ * weights_floats_ : 0);
}

WeightsGradient::Tile WeightsGradient::tile(std::size_t index, std::size_t part) const {
  const std::size_t across = divide_up(in_blocks_, tile_in_);
  const std::size_t in = index % across * tile_in_;
  const std::size_t out = index / across * tile_out_;
  return {in,
          std::min(in + tile_in_, in_blocks_),
          out,
          std::min(out + tile_out_, out_blocks_),
          part * shape_.batch / parts_,
          (part + 1) * shape_.batch / parts_};
}

void WeightsGradient::run(const Arguments& arguments) const {
  const std::size_t count = tiles() * parts_;
  float* const part_bias = arguments.scratch;
  float* const part_weights = arguments.scratch + parts_ * shape_.out_channels;
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t task = 0; task < count; ++task) {
    const std::size_t part = task / tiles();
    run_tile(tile(task % tiles(), part), arguments.source, arguments.result,
             parts_ > 1 ? part_weights + part * weights_floats_ : arguments.weights,
             arguments.bias == nullptr ? nullptr : part_bias + part * shape_.out_channels);
  }
  if (parts_ > 1) {
    parallel_stretches(weights_floats_, [&](std::size_t first, std::size_t size) {
      add_parts({part_weights + first, parts_, weights_floats_}, arguments.weights + first, size);
    });
  }
  if (arguments.bias != nullptr) {
    add_parts({part_bias, parts_, shape_.out_channels}, arguments.bias, arguments.bias_count);
  }
}

TapBox WeightsGradient::box(const Chunk& chunk) const {
  const std::size_t source_row = shape_.in_width * shape_.block;
  return {.images = chunk.images,
          .rows = chunk.rows,
          .columns = shape_.out_width,
          .source_image = shape_.in_channels * shape_.in_height * shape_.in_width,
          .source_row = source_row * shape_.stride_height,
          .source_pixel = shape_.block * shape_.stride_width,
          .result_image = shape_.out_channels * shape_.out_height * shape_.out_width,
          .result_row = shape_.out_width * shape_.block};
}

void WeightsGradient::run_tile(const Tile& tile, const float* source, const float* result,
                               float* weights, float* bias) const {
  bool fresh = true;
  for (std::size_t image = tile.first_image; image < tile.last_image; image += chunk_images_) {
    for (std::size_t row = 0; row < shape_.out_height; row += chunk_rows_) {
      const Chunk chunk{image, std::min(chunk_images_, tile.last_image - image), row,
                        std::min(chunk_rows_, shape_.out_height - row), fresh};
      run_chunk(tile, chunk, source, result, weights);
      if (bias != nullptr && tile.first_in == 0) sum_results(tile, chunk, result, bias);
      fresh = false;
    }
  }
}

void WeightsGradient::sum_results(const Tile& tile, const Chunk& chunk, const float* result,
                                  float* bias) const {
  const TapBox pixels = box(chunk);
  const std::size_t plane = shape_.out_height * shape_.out_width * shape_.block;
  for (std::size_t out = tile.first_out; out < tile.last_out; ++out) {
    const float* from = result + chunk.first_image * pixels.result_image + out * plane +
                        chunk.first_row * pixels.result_row;
    kernels_->sum(pixels, from, bias + out * shape_.block, chunk.fresh);
  }
}

void WeightsGradient::run_chunk(const Tile& tile, const Chunk& chunk, const float* source,
                                const float* result, float* weights) const {
  const TapBox pixels = box(chunk);
  const std::size_t in_plane = shape_.in_height * shape_.in_width * shape_.block;
  const std::size_t out_plane = shape_.out_height * shape_.out_width * shape_.block;
  const std::size_t filter = taps_ * shape_.block * shape_.block;
  std::size_t columns = 0;
  for (std::size_t out = tile.first_out; out < tile.last_out; out += columns) {
    // Four blocks are split into two and two, because a single block would wait for the latency of
    // its sums.
    const std::size_t left = tile.last_out - out;
    columns = left == 4 ? 2 : std::min(left, TapKernels::kMaxColumns);
    for (std::size_t in = tile.first_in; in < tile.last_in; ++in) {
      const TapGradient gradient{
          .source = nullptr,
          .result = result + chunk.first_image * pixels.result_image + out * out_plane,
          .result_block = out_plane,
          .weights = weights + (out * in_blocks_ + in) * filter,
          .weights_block = in_blocks_ * filter,
          .columns = columns,
          .fresh = chunk.fresh};
      run_taps(chunk, source + chunk.first_image * pixels.source_image + in * in_plane, gradient);
    }
  }
}

void WeightsGradient::run_taps(const Chunk& chunk, const float* source,
                               TapGradient gradient) const {
  TapBox pixels = box(chunk);
  const float* const result = gradient.result;
  const std::size_t row_floats = shape_.in_width * shape_.block;
  for (std::size_t y = 0; y < shape_.kernel_height; ++y) {
    const Valid rows = valid_positions(y, shape_.pad_top, shape_.stride_height, shape_.in_height,
                                       chunk.first_row, chunk.rows);
    for (std::size_t x = 0; x < shape_.kernel_width; ++x) {
      const Valid columns = valid_positions(x, shape_.pad_left, shape_.stride_width,
                                            shape_.in_width, 0, shape_.out_width);
      const bool any = rows.count > 0 && columns.count > 0;
      pixels.rows = any ? rows.count : 0;
      pixels.columns = any ? columns.count : 0;
      if (any) {
        const std::size_t row = rows.first * shape_.stride_height + y - shape_.pad_top;
        const std::size_t column = columns.first * shape_.stride_width + x - shape_.pad_left;
        gradient.source = source + row * row_floats + column * shape_.block;
        gradient.result = result + rows.first * pixels.result_row + columns.first * shape_.block;
      }
      kernels_->accumulate(pixels, gradient);
      gradient.weights += shape_.block * shape_.block;
    }
  }
}

}  // namespace convoy::cpu
