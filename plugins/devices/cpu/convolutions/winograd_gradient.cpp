// The gradients of a Winograd convolution's weights and bias.
#include <omp.h>

#include <bit>
#include <cstdint>

#include "plugins/devices/cpu/convolutions/winograd_tiles.hpp"
#include "plugins/devices/cpu/lanes/team.hpp"

namespace convoy::cpu {
namespace {

// tiles of a stretch whose points stay in a thread's cache
constexpr std::size_t kMostSummedTiles = 48;
// fewer tiles do not make up for loading the sums once more
constexpr std::size_t kLeastSummedTiles = 16;
constexpr std::size_t kSliceTiles = 128;
constexpr std::size_t kMostSlices = 16;
// Input channels per item of work, tried in this order; multiples of blocks and of the kernels'
// rows.
constexpr std::size_t kItemRows[] = {96, 48};

// The adjoint of the forward transforms, in one of two ways. Source and gradient become points
// [point][tile][channel] and [point][columns][tile][column]. The order of all sums depends on the
// shape, but not on the number of threads.
//
// Few weights: tiles are cut into slices. All sums of a slice stay in the cache of the thread that
// computes it, together with a stretch of tiles. The slices' gradients are added at the end.
//
// Many weights: for each batch of tiles, all threads first transform source and gradient. Then each
// thread takes input channels with columns of output channels, sums over the batch's tiles and
// transforms the sums back into gradients of the weights, to which later batches add.
class Gradient {
 public:
  Gradient(const WinogradShape& shape, std::size_t threads);

  std::size_t scratch_floats() const { return shared_floats() + threads_ * own_floats(); }
  void run(const void* source, const void* gradient, float* weights_gradient, float* scratch);

 private:
  // Points of source and gradient; their tiles are counted from `first`.
  struct Points {
    float* source;
    float* gradient;
    std::size_t first;
  };
  // Input channels and products whose sums one thread computes at a time.
  struct Item {
    std::size_t row, rows, product, products;
  };

  bool keeps_sums() const { return kept_tiles_ > 0; }
  std::size_t slices() const;
  std::size_t points_floats() const { return kWinogradPoints * (source_stride_ + result_stride_); }
  std::size_t weights_floats() const {
    return shape_.taps * shape_.taps * shape_.in_channels * shape_.out_channels;
  }
  std::size_t shared_floats() const;
  std::size_t own_floats() const;
  void choose_items();
  void run_by_slices(float* weights_gradient, float* scratch) const;
  void run_by_items(float* weights_gradient, float* scratch) const;
  void slice(std::size_t index, float* weights_gradient, float* own) const;
  void transform_source(std::size_t first, std::size_t count, std::size_t panel,
                        const Points& points) const;
  void transform_gradient(std::size_t first, std::size_t count, std::size_t panel,
                          const Points& points) const;
  void sum(const Item& item, const Points& points, std::size_t tiles, bool accumulate,
           float* sums) const;
  void write(const Item& item, const float* sums, bool accumulate, float* weights_gradient) const;

  const WinogradKernels& kernels_;
  WinogradShape shape_;
  std::size_t threads_;
  WinogradColumns columns_;
  std::size_t tile_stride_;
  WinogradTiling tiling_;
  std::size_t kept_tiles_;                 // tiles of a stretch; 0 = many weights
  std::size_t item_rows_, item_products_;  // size of one item of work
  std::size_t sums_stride_;                // floats of one product's sums
  std::size_t product_stride_;             // floats of a product's points of the gradient
  std::size_t source_stride_, result_stride_;
  WinogradImages source_{}, gradient_{};
};

// Returns the number of tiles whose points fit a thread's cache beside all sums; 0 when they are
// too few.
std::size_t tiles_beside_sums(const WinogradShape& shape, std::size_t tile_floats,
                              std::size_t columns) {
  const std::size_t sums = kWinogradPoints * (shape.in_channels * columns + kWinogradSkew);
  const std::size_t room = winograd_kernels(shape.taps).cache_floats / 2 * 3;
  const std::size_t tiles = room < sums ? 0 : (room - sums) / (kWinogradPoints * tile_floats);
  return tiles < kLeastSummedTiles ? 0 : std::min(tiles, kMostSummedTiles);
}

Gradient::Gradient(const WinogradShape& shape, std::size_t threads)
    : kernels_(winograd_kernels(shape.taps)),
      shape_(shape),
      threads_(threads),
      columns_(shape.out_channels, kernels_.columns),
      tile_stride_(shape.in_channels + kWinogradSkew),
      tiling_(shape, tile_stride_ + columns_.channels),
      kept_tiles_(tiles_beside_sums(shape, tile_stride_ + columns_.channels, columns_.channels)),
      item_rows_(shape.in_channels),
      item_products_(columns_.products()) {
  if (!keeps_sums()) choose_items();
  const std::size_t tiles = keeps_sums() ? kept_tiles_ : tiling_.tiles_at_once();
  sums_stride_ = item_rows_ * columns_.most + kWinogradSkew;
  product_stride_ = tiles * columns_.most;
  source_stride_ = tiles * tile_stride_ + kWinogradSkew;
  result_stride_ = columns_.products() * product_stride_ + kWinogradSkew;
}

// Large items read points less often; several items per thread share the work evenly.
void Gradient::choose_items() {
  for (item_products_ = 2; item_products_ > 0; --item_products_) {
    for (const std::size_t rows : kItemRows) {
      item_rows_ = std::min(rows, shape_.in_channels);
      if (divide_up(shape_.in_channels, rows) * divide_up(columns_.products(), item_products_) >=
          2 * threads_)
        return;
    }
  }
  item_products_ = 1;
}

std::size_t Gradient::slices() const {
  return std::clamp<std::size_t>(tiling_.tiles() / kSliceTiles, 1, kMostSlices);
}

std::size_t Gradient::shared_floats() const {
  if (!keeps_sums()) return points_floats();
  return slices() > 1 ? slices() * weights_floats() : 0;
}

std::size_t Gradient::own_floats() const {
  return (keeps_sums() ? points_floats() : 0) + item_products_ * kWinogradPoints * sums_stride_;
}

void Gradient::run(const void* source, const void* gradient, float* weights_gradient,
                   float* scratch) {
  source_ = WinogradImages::source(shape_, source);
  gradient_ = WinogradImages::result(shape_, gradient);
  if (keeps_sums()) return run_by_slices(weights_gradient, scratch);
  run_by_items(weights_gradient, scratch);
}

void Gradient::run_by_slices(float* weights_gradient, float* scratch) const {
  const std::size_t count = slices();
  const std::size_t size = weights_floats();
#pragma omp parallel num_threads(static_cast <int>(threads_))
  {
    float* own =
        scratch + shared_floats() + static_cast<std::size_t>(omp_get_thread_num()) * own_floats();
#pragma omp for schedule(dynamic, 1)
    for (std::size_t index = 0; index < count; ++index) {
      slice(index, count > 1 ? scratch + index * size : weights_gradient, own);
    }
  }
  if (count == 1) return;
  parallel_stretches(size, [&](std::size_t first, std::size_t elements) {
    for (std::size_t i = first; i < first + elements; ++i) {
      float total = scratch[i];
      for (std::size_t index = 1; index < count; ++index) total += scratch[index * size + i];
      weights_gradient[i] = total;
    }
  });
}

void Gradient::slice(std::size_t index, float* weights_gradient, float* own) const {
  const std::size_t tiles = tiling_.tiles();
  const std::size_t first = tiles * index / slices();
  const std::size_t end = tiles * (index + 1) / slices();
  const Item all{0, shape_.in_channels, 0, columns_.products()};
  float* sums = own + points_floats();
  const Points points{own, own + kWinogradPoints * source_stride_, 0};
  for (std::size_t tile = first; tile < end; tile += kept_tiles_) {
    const std::size_t count = std::min(kept_tiles_, end - tile);
    for (std::size_t panel = 0; panel < source_.panels(); ++panel) {
      transform_source(tile, count, panel, points);
    }
    for (std::size_t panel = 0; panel < gradient_.panels(); ++panel) {
      transform_gradient(tile, count, panel, points);
    }
    sum(all, points, count, tile > first, sums);
  }
  write(all, sums, false, weights_gradient);
}

void Gradient::run_by_items(float* weights_gradient, float* scratch) const {
  const std::size_t source_panels = source_.panels();
  const std::size_t panels = source_panels + gradient_.panels();
  const std::size_t row_groups = divide_up(shape_.in_channels, item_rows_);
  const std::size_t items = row_groups * divide_up(columns_.products(), item_products_);
  for (std::size_t row = 0; row < tiling_.rows; row += tiling_.rows_at_once) {
    const std::size_t rows = std::min(tiling_.rows_at_once, tiling_.rows - row);
    const std::size_t tiles = rows * tiling_.columns;
#pragma omp parallel num_threads(static_cast <int>(threads_))
    {
      float* sums =
          scratch + shared_floats() + static_cast<std::size_t>(omp_get_thread_num()) * own_floats();
#pragma omp for schedule(static)
      for (std::size_t i = 0; i < rows * panels; ++i) {
        const std::size_t first = i / panels * tiling_.columns;
        const std::size_t panel = i % panels;
        const Points points{scratch, scratch + kWinogradPoints * source_stride_, first};
        const std::size_t tile = row * tiling_.columns + first;
        if (panel < source_panels) {
          transform_source(tile, tiling_.columns, panel, points);
        } else {
          transform_gradient(tile, tiling_.columns, panel - source_panels, points);
        }
      }
#pragma omp for schedule(dynamic, 1)
      for (std::size_t i = 0; i < items; ++i) {
        const std::size_t first = i % row_groups * item_rows_;
        const std::size_t product = i / row_groups * item_products_;
        const Item item{first, std::min(item_rows_, shape_.in_channels - first), product,
                        std::min(item_products_, columns_.products() - product)};
        sum(item, {scratch, scratch + kWinogradPoints * source_stride_, 0}, tiles, false, sums);
        write(item, sums, row > 0, weights_gradient);
      }
    }
  }
}

void Gradient::transform_source(std::size_t first, std::size_t count, std::size_t panel,
                                const Points& points) const {
  tiling_.for_each_stretch(first, count, [&](const WinogradStretch& stretch) {
    kernels_.transform_source(
        source_.plane(stretch.image, panel), source_tiles(stretch, shape_),
        points.source + (points.first + stretch.first) * tile_stride_ + panel * kWinogradPanel,
        source_stride_, tile_stride_);
  });
}

void Gradient::transform_gradient(std::size_t first, std::size_t count, std::size_t panel,
                                  const Points& points) const {
  const std::size_t channel = panel * kWinogradPanel;
  const std::size_t columns = columns_.of(channel / columns_.most);
  float* to = points.gradient + channel / columns_.most * product_stride_ +
              channel % columns_.most + points.first * columns;
  tiling_.for_each_stretch(first, count, [&](const WinogradStretch& stretch) {
    kernels_.transform_gradient(gradient_.plane(stretch.image, panel),
                                {static_cast<std::ptrdiff_t>(stretch.y),
                                 static_cast<std::ptrdiff_t>(stretch.x), stretch.count},
                                to + stretch.first * columns, result_stride_, columns);
  });
}

// Reads the points of the source for all products while they are in a cache.
void Gradient::sum(const Item& item, const Points& points, std::size_t tiles, bool accumulate,
                   float* sums) const {
  for (std::size_t i = 0; i < kWinogradPoints * item.products; ++i) {
    const std::size_t point = i / item.products;
    const std::size_t product = item.product + i % item.products;
    const std::size_t columns = columns_.of(product);
    const float* a = points.source + point * source_stride_ + item.row;
    const float* b = points.gradient + point * result_stride_ + product * product_stride_;
    float* c = sums + (i % item.products * kWinogradPoints + point) * sums_stride_;
    for (std::size_t tile = 0; tile < tiles; tile += kWinogradDepth) {
      kernels_.multiply_transposed({.a = a + tile * tile_stride_,
                                    .a_stride = tile_stride_,
                                    .b = b + tile * columns,
                                    .c = c,
                                    .columns = columns,
                                    .rows = item.rows,
                                    .depth = std::min(kWinogradDepth, tiles - tile),
                                    .accumulate = accumulate || tile > 0});
    }
  }
}

void Gradient::write(const Item& item, const float* sums, bool accumulate,
                     float* weights_gradient) const {
  const std::size_t block = shape_.block;
  const std::size_t in_blocks = shape_.in_channels / block;
  for (std::size_t i = 0; i < item.products; ++i) {
    const std::size_t columns = columns_.of(item.product + i);
    for (std::size_t column = 0; column < columns; column += block) {
      const std::size_t out = (item.product + i) * columns_.most + column;
      if (out >= shape_.out_channels) break;
      for (std::size_t row = 0; row < item.rows; row += block) {
        kernels_.transform_weights_gradient(
            sums + i * kWinogradPoints * sums_stride_ + row * columns + column, sums_stride_,
            columns, block, accumulate,
            weights_gradient + (out / block * in_blocks + (item.row + row) / block) * shape_.taps *
                                   shape_.taps * block * block);
      }
    }
  }
}

float value_of(float value) {
  return value;
}

float value_of(Bf16 value) {
  return std::bit_cast<float>(std::uint32_t{value} << 16);
}

// Adds up eight channels per row of pixels, then those sums, to keep rounding errors small.
template <typename Value>
void sum_channels(const WinogradPlane& plane, const void* group, double (&sums)[kWinogradLanes]) {
  const auto* pixel = static_cast<const Value*>(group);
  for (std::size_t y = 0; y < plane.height; ++y) {
    float row_sums[kWinogradLanes] = {};
    for (std::size_t x = 0; x < plane.width; ++x, pixel += plane.pixel_stride) {
      for (std::size_t lane = 0; lane < kWinogradLanes; ++lane) {
        row_sums[lane] += value_of(pixel[lane]);
      }
    }
    for (std::size_t lane = 0; lane < kWinogradLanes; ++lane) {
      sums[lane] += static_cast<double>(row_sums[lane]);
    }
  }
}

}  // namespace

std::size_t winograd_backward_weights_scratch(const WinogradShape& shape, std::size_t threads) {
  return Gradient(shape, threads).scratch_floats();
}

void winograd_backward_weights(const WinogradShape& shape, const void* source, const void* gradient,
                               float* weights_gradient, float* scratch, std::size_t threads) {
  Gradient(shape, threads).run(source, gradient, weights_gradient, scratch);
}

void winograd_backward_bias(const WinogradShape& shape, const void* gradient, float* bias_gradient,
                            std::size_t bias_count) {
  const WinogradImages images = WinogradImages::result(shape, gradient);
  const auto sum = shape.bf16 ? sum_channels<Bf16> : sum_channels<float>;
  parallel_indices(divide_up(bias_count, kWinogradLanes), [&](std::size_t group) {
    double sums[kWinogradLanes] = {};
    for (std::size_t image = 0; image < shape.batch; ++image) {
      const WinogradPlane plane = images.plane(image, group / 2);
      sum(plane, plane.groups[group % 2], sums);
    }
    const std::size_t first = group * kWinogradLanes;
    for (std::size_t lane = 0; lane < std::min(kWinogradLanes, bias_count - first); ++lane) {
      bias_gradient[first + lane] = static_cast<float>(sums[lane]);
    }
  });
}

}  // namespace convoy::cpu
