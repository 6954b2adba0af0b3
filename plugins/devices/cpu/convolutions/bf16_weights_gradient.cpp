#include "plugins/devices/cpu/convolutions/bf16_weights_gradient.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>

#include "plugins/devices/cpu/cache_lines.hpp"
#include "plugins/devices/cpu/convolutions/sum_of_parts.hpp"
#include "plugins/devices/cpu/lanes/team.hpp"

namespace convoy::cpu {
namespace {

constexpr std::size_t kWeightsOfBlocks = kBf16Block * kBf16Block;

// The sums of a tile take 640 KiB of a second-level cache of 2 MiB.
constexpr std::size_t kTileFloats = std::size_t{160} << 10;
// Blocks of channels per tile. Pixels of one side are packed once and multiplied by all of the
// other side. For tile registers, packing a source costs more than packing a result. Processors
// without them have a second-level cache of 1 MiB.
constexpr std::size_t kTileIn = 16, kTileOut = 32, kTileOutOfVectors = 16;
// Steps of pixels at a time. Two blocks of both factors stay in a first-level cache of 48 KiB, or
// of 32 KiB without tile registers. The taps of a larger filter share one source, which extends
// beyond the chunk.
constexpr std::size_t kChunkSteps = 10, kChunkStepsOfTaps = 8, kChunkStepsOfVectors = 8;
// Enough tasks for an even distribution over a few threads.
constexpr std::size_t kTasks = 16;
// Every part of the canvas writes and reads this many gradients.
constexpr std::size_t kPartFloats = std::size_t{1024} << 10;

}  // namespace

bool Bf16WeightsGradient::suits(const ConvolutionShape& shape) {
  return shape.in_channels > 0 && shape.in_channels % kBf16Block == 0 && shape.out_channels > 0 &&
         shape.out_channels % kBf16Block == 0 && shape.out_height * shape.out_width > 0 &&
         bf16_kernels() != nullptr;
}

bool Bf16WeightsGradient::pays(const ConvolutionShape& shape) {
  constexpr std::size_t kWeightsPerPixel = 1024;
  if (!suits(shape) || bf16_kernels()->uses_tiles) return suits(shape);
  const std::size_t taps = shape.kernel_height * shape.kernel_width;
  if (taps == 1 || shape.stride_height * shape.stride_width > 1) return true;
  const std::size_t pixels = shape.batch * shape.out_height * shape.out_width;
  return shape.in_channels * shape.out_channels * taps >= kWeightsPerPixel * pixels;
}

Bf16WeightsGradient::Bf16WeightsGradient(const ConvolutionShape& shape)
    : Bf16WeightsGradient(shape, PixelCanvas(shape)) {}

Bf16WeightsGradient::Bf16WeightsGradient(const ConvolutionShape& shape, const SourceSteps& source)
    : Bf16WeightsGradient(shape, PixelCanvas(shape, source)) {}

Bf16WeightsGradient::Bf16WeightsGradient(const ConvolutionShape& shape, PixelCanvas canvas)
    : shape_(shape),
      canvas_(std::move(canvas)),
      kernels_(bf16_kernels()),
      in_blocks_(shape.in_channels / kBf16Block),
      out_blocks_(shape.out_channels / kBf16Block),
      steps_(divide_up(canvas_.positions(), kBf16Step)),
      weights_floats_(in_blocks_ * out_blocks_ * canvas_.taps().size() * kWeightsOfBlocks) {
  find_copies();
  divide();
}

void Bf16WeightsGradient::find_copies() {
  for (const PixelCanvas::Tap& tap : canvas_.taps()) {
    const auto distance =
        static_cast<std::size_t>(tap.offset - canvas_.planes()[tap.plane].first_offset);
    const Copy wanted{tap.plane, kernels_->uses_tiles ? 0 : distance % 2};
    const auto found = std::find(copies_.begin(), copies_.end(), wanted);
    const auto copy = static_cast<std::size_t>(found - copies_.begin());
    if (found == copies_.end()) copies_.push_back(wanted);
    taps_.push_back({copy, kernels_->uses_tiles ? distance : distance / 2 * kBf16Step});
  }
}

void Bf16WeightsGradient::divide() {
  const std::size_t taps = canvas_.taps().size();
  tile_in_ = std::min(in_blocks_, kTileIn);
  tile_out_ = std::min(out_blocks_, kernels_->uses_tiles ? kTileOut : kTileOutOfVectors);
  while (tile_in_ * tile_out_ * taps * kWeightsOfBlocks > kTileFloats && tile_in_ * tile_out_ > 1) {
    std::size_t& longer = tile_in_ > tile_out_ ? tile_in_ : tile_out_;
    longer = divide_up(longer, 2);
  }
  const std::size_t chunk = kernels_->uses_tiles ? kChunkSteps : kChunkStepsOfVectors;
  chunk_steps_ = std::min(taps > 1 ? kChunkStepsOfTaps : chunk, steps_);
  const std::size_t wanted = divide_up(kTasks, tiles());
  const std::size_t affordable = std::max<std::size_t>(kPartFloats / weights_floats_, 1);
  parts_ = std::min({wanted, affordable, divide_up(steps_, chunk_steps_)});
  std::size_t reach = 0;
  for (const PixelCanvas::Plane& plane : canvas_.planes()) {
    reach = std::max(reach, static_cast<std::size_t>(plane.last_offset - plane.first_offset));
  }
  // The rows have an odd number of cache lines, so that those of a tile use different sets of the
  // cache.
  plane_steps_ = divide_up(chunk_steps_ * kBf16Step + reach, kBf16Step) | 1;
}

std::size_t Bf16WeightsGradient::tiles() const {
  return divide_up(in_blocks_, tile_in_) * divide_up(out_blocks_, tile_out_);
}

// Vectors read pairs. Without neighbours, the rows of a tile register are next to each other.
Bf16Rows Bf16WeightsGradient::rows() const {
  const std::size_t block = plane_steps_ * kBf16Tile;
  if (!kernels_->uses_tiles) {
    return {.channel = 2, .pair = kBf16Step, .step = kBf16Tile, .block = block + kBf16Step};
  }
  if (canvas_.taps().size() == 1) {
    return {.channel = kBf16Step, .pair = 2, .step = kBf16Tile, .block = block};
  }
  return {.channel = plane_steps_ * kBf16Step, .pair = 2, .step = kBf16Step, .block = block};
}

// One cache line more than a block needs, so that blocks use different sets of the cache.
std::size_t Bf16WeightsGradient::result_block(std::size_t steps) const {
  return steps * kBf16Tile + kBf16Step;
}

std::size_t Bf16WeightsGradient::copy_elements() const {
  return tile_in_ * rows().block;
}

// Pixels of a chunk of the result, or of what its taps read in one copy of the source.
std::size_t Bf16WeightsGradient::list_pixels() const {
  return plane_steps_ * kBf16Step;
}

std::size_t Bf16WeightsGradient::workspace_bytes() const {
  const std::size_t channels = std::max(shape_.in_channels, shape_.out_channels);
  const std::size_t packed =
      copies_.size() * copy_elements() + tile_out_ * result_block(chunk_steps_);
  return whole_lines((1 + copies_.size()) * list_pixels() * sizeof(Bf16*)) +
         whole_lines(channels * sizeof(Bf16)) + packed * sizeof(Bf16);
}

Bf16WeightsGradient::Workspace Bf16WeightsGradient::workspace(std::byte* memory) const {
  const std::size_t channels = std::max(shape_.in_channels, shape_.out_channels);
  auto* const pixels = reinterpret_cast<const Bf16**>(memory);
  memory += whole_lines((1 + copies_.size()) * list_pixels() * sizeof(Bf16*));
  auto* const empty = reinterpret_cast<Bf16*>(memory);
  std::fill_n(empty, channels, Bf16{0});
  memory += whole_lines(channels * sizeof(Bf16));
  auto* const source = reinterpret_cast<Bf16*>(memory);
  return {pixels, empty, source, source + copies_.size() * copy_elements()};
}

std::size_t Bf16WeightsGradient::scratch_bytes(std::size_t threads) const {
  const std::size_t part = weights_floats_ + shape_.out_channels;
  return kCacheLine + (parts_ > 1 ? parts_ * part * sizeof(float) : 0) +
         threads * workspace_bytes();
}

Bf16WeightsGradient::Tile Bf16WeightsGradient::tile(std::size_t index, std::size_t part) const {
  const std::size_t across = divide_up(in_blocks_, tile_in_);
  const std::size_t in = index % across * tile_in_;
  const std::size_t out = index / across * tile_out_;
  return {in,
          std::min(in + tile_in_, in_blocks_),
          out,
          std::min(out + tile_out_, out_blocks_),
          part * steps_ / parts_,
          (part + 1) * steps_ / parts_};
}

void Bf16WeightsGradient::run(const Arguments& arguments, std::size_t threads) const {
  std::byte* memory = at_line(arguments.scratch);
  auto* const parts = reinterpret_cast<float*>(memory);
  if (parts_ > 1) memory += parts_ * (weights_floats_ + shape_.out_channels) * sizeof(float);
  run_tasks(arguments, parts, memory, threads);
  if (parts_ == 1) return;
  const std::size_t distance = weights_floats_ + shape_.out_channels;
  parallel_stretches(weights_floats_, [&](std::size_t first, std::size_t size) {
    add_parts({parts + first, parts_, distance}, arguments.weights + first, size);
  });
  if (arguments.bias != nullptr) {
    add_parts({parts + weights_floats_, parts_, distance}, arguments.bias, shape_.out_channels);
  }
}

void Bf16WeightsGradient::run_tasks(const Arguments& arguments, float* parts, std::byte* memory,
                                    std::size_t threads) const {
#pragma omp parallel num_threads(static_cast <int>(threads))
  {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    const Workspace own = workspace(memory + thread * workspace_bytes());
    kernels_->begin();
#pragma omp for schedule(dynamic, 1)
    for (std::size_t task = 0; task < tiles() * parts_; ++task) {
      const std::size_t part = task / tiles();
      Sums sums{arguments.weights, arguments.bias};
      if (parts_ > 1) {
        sums.weights = parts + part * (weights_floats_ + shape_.out_channels);
        if (sums.bias != nullptr) sums.bias = sums.weights + weights_floats_;
      }
      run_tile(tile(task % tiles(), part), arguments, own, sums);
    }
    kernels_->end();
  }
}

void Bf16WeightsGradient::run_tile(const Tile& tile, const Arguments& arguments,
                                   const Workspace& own, const Sums& sums) const {
  find_pixels(tile, tile.first_step, arguments, own);
  for (std::size_t first = tile.first_step; first < tile.last_step; first += chunk_steps_) {
    const std::size_t steps = steps_from(first, tile);
    const bool fresh = first == tile.first_step, last = first + steps == tile.last_step;
    pack(tile, steps, own);
    if (!last) find_pixels(tile, first + steps, arguments, own);
    multiply(tile, {steps, fresh, last}, own, sums.weights);
    if (sums.bias != nullptr && tile.first_in == 0) sum_results(tile, steps, fresh, own, sums.bias);
  }
}

std::size_t Bf16WeightsGradient::steps_from(std::size_t first, const Tile& tile) const {
  return std::min(chunk_steps_, tile.last_step - first);
}

// Returns how many steps of a plane contain what the taps read for this many steps of the result.
std::size_t Bf16WeightsGradient::source_steps(const PixelCanvas::Plane& plane,
                                              std::size_t steps) const {
  const auto reach = static_cast<std::size_t>(plane.last_offset - plane.first_offset);
  return divide_up(steps * kBf16Step + reach, kBf16Step);
}

void Bf16WeightsGradient::find_pixels(const Tile& tile, std::size_t first,
                                      const Arguments& arguments, const Workspace& own) const {
  const std::size_t position = first * kBf16Step, steps = steps_from(first, tile);
  canvas_.find_result(position, steps * kBf16Step, arguments.result, own.empty, own.pixels);
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    const PixelCanvas::Plane& plane = canvas_.planes()[copies_[i].plane];
    canvas_.find_source(
        plane, static_cast<std::ptrdiff_t>(position + copies_[i].shift) + plane.first_offset,
        source_steps(plane, steps) * kBf16Step, arguments.source, own.empty,
        own.pixels + (1 + i) * list_pixels());
  }
}

void Bf16WeightsGradient::pack(const Tile& tile, std::size_t steps, const Workspace& own) const {
  kernels_->pack_pairs({.pixels = own.pixels,
                        .steps = steps,
                        .first_channel = tile.first_out * kBf16Block,
                        .blocks = tile.last_out - tile.first_out},
                       result_block(steps), own.result);
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    const Bf16Pixels pixels{.pixels = own.pixels + (1 + i) * list_pixels(),
                            .steps = source_steps(canvas_.planes()[copies_[i].plane], steps),
                            .first_channel = tile.first_in * kBf16Block,
                            .blocks = tile.last_in - tile.first_in};
    Bf16* const to = own.source + i * copy_elements();
    if (kernels_->uses_tiles) {
      kernels_->pack_rows(pixels, rows(), to);
    } else {
      kernels_->pack_pairs(pixels, rows().block, to);
    }
  }
}

void Bf16WeightsGradient::multiply(const Tile& tile, const Chunk& chunk, const Workspace& own,
                                   float* weights) const {
  const std::size_t filter = canvas_.taps().size() * kWeightsOfBlocks;
  Bf16Product product{.source = nullptr,
                      .rows = rows(),
                      .result = nullptr,
                      .result_block = result_block(chunk.steps),
                      .steps = chunk.steps,
                      .weights = nullptr,
                      .weights_in = filter,
                      .weights_out = in_blocks_ * filter,
                      .in_blocks = 0,
                      .out_blocks = 0,
                      .fresh = chunk.fresh,
                      .ahead = nullptr,
                      .ahead_channel = 0};
  std::size_t line = 0;
  for (std::size_t out = tile.first_out; out < tile.last_out; out += 2) {
    product.out_blocks = std::min<std::size_t>(tile.last_out - out, 2);
    product.result = own.result + (out - tile.first_out) * product.result_block;
    for (std::size_t in = tile.first_in; in < tile.last_in; in += 2) {
      product.in_blocks = std::min<std::size_t>(tile.last_in - in, 2);
      product.weights = weights + (out * in_blocks_ + in) * filter;
      if (!chunk.last) ask_for_line(line++, tile, own, product);
      multiply_taps(product, own.source + (in - tile.first_in) * product.rows.block);
    }
  }
}

// Prefetches one line of each of the next chunk's pixels, first those of the result.
void Bf16WeightsGradient::ask_for_line(std::size_t line, const Tile& tile, const Workspace& own,
                                       Bf16Product& product) const {
  const std::size_t result_lines = divide_up(tile.last_out - tile.first_out, 2);
  const std::size_t source_lines = divide_up(tile.last_in - tile.first_in, 2);
  product.ahead = nullptr;
  if (line < result_lines) {
    product.ahead = own.pixels;
    product.ahead_channel = tile.first_out * kBf16Block + line * kBf16Step;
  } else if (line - result_lines < source_lines * copies_.size()) {
    line -= result_lines;
    product.ahead = own.pixels + (1 + line / source_lines) * list_pixels();
    product.ahead_channel = tile.first_in * kBf16Block + line % source_lines * kBf16Step;
  }
}

void Bf16WeightsGradient::multiply_taps(Bf16Product product, const Bf16* source) const {
  for (const TapPlace& tap : taps_) {
    product.source = source + tap.copy * copy_elements() + tap.elements;
    kernels_->multiply(product);
    product.weights += kWeightsOfBlocks;
    product.ahead = nullptr;
  }
}

void Bf16WeightsGradient::sum_results(const Tile& tile, std::size_t steps, bool fresh,
                                      const Workspace& own, float* bias) const {
  for (std::size_t out = tile.first_out; out < tile.last_out; ++out) {
    kernels_->sum(own.result + (out - tile.first_out) * result_block(steps), steps,
                  bias + out * kBf16Block, fresh);
  }
}

}  // namespace convoy::cpu
