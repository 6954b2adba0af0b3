// Forward Winograd convolutions. Backward data is the same with transposed and mirrored weights.
#include <omp.h>

#include <limits>

#include "plugins/devices/cpu/convolutions/winograd_weights.hpp"

namespace convoy::cpu {
namespace {

constexpr std::size_t kTilesPerProduct = 48;  // tiles whose products stay in the second-level cache
// fewer tiles do not make up for reading the weights once more
constexpr std::size_t kLeastTiles = 24;
// a multiple of the rows that the kernels compute at once
constexpr std::size_t kRowsOfProducts = 12;

// One running convolution, in one of two ways.
//
// Few channels: all weights are transformed. Then each thread takes stretches of tiles whose points
// stay in its own cache, and computes all result channels of them.
//
// Many channels: for each batch of tiles, all threads first transform the source into points
// [point][tile][channel]. Then each thread takes columns of result channels with a stretch of
// tiles, transforms the weights of these columns for itself, multiplies, and transforms the
// products back.
class Forward {
 public:
  // mirrored: the weights are those of the convolution whose data gradient this is.
  Forward(const WinogradShape& shape, std::size_t threads, bool mirrored);

  std::size_t scratch_floats() const { return shared_floats() + threads_ * own_floats(); }
  void run(const void* source, const float* weights, const WinogradResultOptions& options,
           void* result, float* scratch);

 private:
  bool keeps_tiles() const { return kept_tiles_ > 0; }
  std::size_t shared_floats() const;
  std::size_t own_floats() const;
  void run_by_tiles(const float* weights, float* scratch);
  void run_by_columns(const float* weights, float* scratch);
  void transform_tiles(std::size_t first, std::size_t count, std::size_t panel,
                       float* points) const;
  void all_columns(std::size_t first_tile, std::size_t count, const float* weights,
                   float* own) const;
  void some_columns(const float* weights, std::size_t product, std::size_t first_tile,
                    std::size_t end_tile, const float* points, float* own) const;
  void multiply(const float* points, std::size_t depth, const float* weights, std::size_t columns,
                std::size_t count, bool accumulate, float* products) const;
  void write_results(std::size_t product, std::size_t first_tile, std::size_t count,
                     const float* products) const;
  WinogradEpilogue epilogue(std::size_t panel) const;

  const WinogradKernels& kernels_;
  WinogradShape shape_;
  std::size_t threads_;
  WinogradTiling tiling_;
  WinogradColumns columns_;
  WinogradWeights transformed_;
  std::size_t tile_stride_;
  std::size_t kept_tiles_;    // tiles whose points stay in a thread's cache; 0 = many channels
  std::size_t weights_rows_;  // rows of weights that are transformed at a time
  std::size_t point_stride_, weights_stride_, products_stride_;
  std::size_t own_weights_, own_products_;  // floats
  WinogradImages source_{}, result_{};
  WinogradResultOptions options_;
  std::size_t first_tile_ = 0;  // of the current batch
};

// Returns the number of tiles whose points fit a thread's cache; 0 when they are too few.
std::size_t kept_tiles(const WinogradKernels& kernels, std::size_t tile_stride, std::size_t tiles,
                       std::size_t threads) {
  const std::size_t room = kernels.cache_floats / (kWinogradPoints * tile_stride);
  const std::size_t share = divide_up(divide_up(tiles, threads), kRowsOfProducts);
  const std::size_t rows = std::min(room / kRowsOfProducts, share) * kRowsOfProducts;
  return room < kLeastTiles || tiles < threads * kRowsOfProducts ? 0
                                                                 : std::min(rows, kTilesPerProduct);
}

Forward::Forward(const WinogradShape& shape, std::size_t threads, bool mirrored)
    : kernels_(winograd_kernels(shape.taps)),
      shape_(shape),
      threads_(threads),
      tiling_(shape, shape.in_channels + kWinogradSkew),
      columns_(shape.out_channels, kernels_.columns),
      transformed_(shape, mirrored),
      tile_stride_(shape.in_channels + kWinogradSkew),
      kept_tiles_(kept_tiles(kernels_, tile_stride_, tiling_.tiles(), threads)),
      weights_rows_(keeps_tiles() ? shape.in_channels
                                  : std::min(shape.in_channels, kWinogradDepth)),
      point_stride_((keeps_tiles() ? kept_tiles_ : tiling_.tiles_at_once()) * tile_stride_ +
                    kWinogradSkew),
      weights_stride_(weights_rows_ * columns_.most + kWinogradSkew),
      products_stride_(kTilesPerProduct * columns_.most + kWinogradSkew),
      own_weights_(kWinogradPoints * weights_stride_) {
  // Products wait for the next rows of weights, unless all rows are transformed at once.
  const bool waits = weights_rows_ < shape.in_channels;
  const std::size_t groups = waits ? divide_up(tiling_.tiles_at_once(), kTilesPerProduct) : 1;
  own_products_ = groups * kWinogradPoints * products_stride_;
}

std::size_t Forward::shared_floats() const {
  return keeps_tiles() ? columns_.products() * own_weights_ : kWinogradPoints * point_stride_;
}

std::size_t Forward::own_floats() const {
  return own_products_ + (keeps_tiles() ? kWinogradPoints * point_stride_ : own_weights_);
}

void Forward::run(const void* source, const float* weights, const WinogradResultOptions& options,
                  void* result, float* scratch) {
  source_ = WinogradImages::source(shape_, source);
  result_ = WinogradImages::result(shape_, result);
  options_ = options;
  if (keeps_tiles()) return run_by_tiles(weights, scratch);
  run_by_columns(weights, scratch);
}

void Forward::run_by_tiles(const float* weights, float* scratch) {
  const std::size_t blocks = shape_.in_channels / shape_.block;
  const std::size_t tiles = tiling_.tiles();
#pragma omp parallel num_threads(static_cast <int>(threads_))
  {
    float* own =
        scratch + shared_floats() + static_cast<std::size_t>(omp_get_thread_num()) * own_floats();
#pragma omp for schedule(static)
    for (std::size_t item = 0; item < columns_.products() * blocks; ++item) {
      const std::size_t product = item / blocks;
      const std::size_t row = item % blocks * shape_.block;
      const std::size_t columns = columns_.of(product);
      transformed_.transform(weights, product * columns_.most, columns, row, shape_.block,
                             scratch + product * own_weights_ + row * columns, weights_stride_);
    }
#pragma omp for schedule(dynamic, 1)
    for (std::size_t first = 0; first < tiles; first += kept_tiles_) {
      all_columns(first, std::min(kept_tiles_, tiles - first), scratch, own);
    }
  }
}

void Forward::all_columns(std::size_t first_tile, std::size_t count, const float* weights,
                          float* own) const {
  float* products = own + kWinogradPoints * point_stride_;
  for (std::size_t panel = 0; panel < source_.panels(); ++panel) {
    transform_tiles(first_tile, count, panel, own);
  }
  for (std::size_t product = 0; product < columns_.products(); ++product) {
    multiply(own, shape_.in_channels, weights + product * own_weights_, columns_.of(product), count,
             false, products);
    write_results(product, first_tile, count, products);
  }
}

void Forward::run_by_columns(const float* weights, float* scratch) {
  const std::size_t panels = source_.panels();
  const std::size_t products = columns_.products();
  for (std::size_t row = 0; row < tiling_.rows; row += tiling_.rows_at_once) {
    const std::size_t rows = std::min(tiling_.rows_at_once, tiling_.rows - row);
    const std::size_t tiles = rows * tiling_.columns;
    const std::size_t groups = divide_up(tiles, kTilesPerProduct);
    first_tile_ = row * tiling_.columns;
    // Divides the tiles into stretches only if there are too few columns for all threads.
    const std::size_t wanted = products % threads_ == 0 ? 1 : divide_up(4 * threads_, products);
    const std::size_t stretch = divide_up(groups, std::min(groups, wanted)) * kTilesPerProduct;
    const std::size_t stretches = divide_up(tiles, stretch);
#pragma omp parallel num_threads(static_cast <int>(threads_))
    {
      float* own =
          scratch + shared_floats() + static_cast<std::size_t>(omp_get_thread_num()) * own_floats();
#pragma omp for schedule(static)
      for (std::size_t item = 0; item < rows * panels; ++item) {
        const std::size_t first = item / panels * tiling_.columns;
        transform_tiles(first_tile_ + first, tiling_.columns, item % panels,
                        scratch + first * tile_stride_);
      }
#pragma omp for schedule(dynamic, 1)
      for (std::size_t item = 0; item < products * stretches; ++item) {
        const std::size_t first = item % stretches * stretch;
        some_columns(weights, item / stretches, first, std::min(first + stretch, tiles), scratch,
                     own);
      }
    }
  }
}

void Forward::transform_tiles(std::size_t first, std::size_t count, std::size_t panel,
                              float* points) const {
  tiling_.for_each_stretch(first, count, [&](const WinogradStretch& stretch) {
    kernels_.transform_source(source_.plane(stretch.image, panel), source_tiles(stretch, shape_),
                              points + stretch.first * tile_stride_ + panel * kWinogradPanel,
                              point_stride_, tile_stride_);
  });
}

// Tiles are counted from the first one of the batch.
void Forward::some_columns(const float* weights, std::size_t product, std::size_t first_tile,
                           std::size_t end_tile, const float* points, float* own) const {
  const std::size_t columns = columns_.of(product);
  const std::size_t channels = shape_.in_channels;
  const bool waits = weights_rows_ < channels;
  for (std::size_t row = 0; row < channels; row += weights_rows_) {
    const std::size_t rows = std::min(weights_rows_, channels - row);
    transformed_.transform(weights, product * columns_.most, columns, row, rows, own,
                           weights_stride_);
    float* products = own + own_weights_;
    for (std::size_t tile = first_tile; tile < end_tile; tile += kTilesPerProduct) {
      const std::size_t count = std::min(kTilesPerProduct, end_tile - tile);
      multiply(points + tile * tile_stride_ + row, rows, own, columns, count, row > 0, products);
      if (row + rows == channels) write_results(product, first_tile_ + tile, count, products);
      if (waits) products += kWinogradPoints * products_stride_;
    }
  }
}

void Forward::multiply(const float* points, std::size_t depth, const float* weights,
                       std::size_t columns, std::size_t count, bool accumulate,
                       float* products) const {
  for (std::size_t point = 0; point < kWinogradPoints; ++point) {
    for (std::size_t done = 0; done < depth; done += kWinogradDepth) {
      kernels_.multiply({.a = points + point * point_stride_ + done,
                         .a_stride = tile_stride_,
                         .b = weights + point * weights_stride_ + done * columns,
                         .c = products + point * products_stride_,
                         .columns = columns,
                         .rows = count,
                         .depth = std::min(kWinogradDepth, depth - done),
                         .accumulate = accumulate || done > 0});
    }
  }
}

void Forward::write_results(std::size_t product, std::size_t first_tile, std::size_t count,
                            const float* products) const {
  const std::size_t columns = columns_.of(product);
  for (std::size_t column = 0; column < columns; column += kWinogradPanel) {
    const std::size_t panel = (product * columns_.most + column) / kWinogradPanel;
    const WinogradEpilogue epilogue = this->epilogue(panel);
    tiling_.for_each_stretch(first_tile, count, [&](const WinogradStretch& stretch) {
      kernels_.transform_result(products + stretch.first * columns + column, products_stride_,
                                columns, epilogue, result_.plane(stretch.image, panel),
                                {static_cast<std::ptrdiff_t>(stretch.y),
                                 static_cast<std::ptrdiff_t>(stretch.x), stretch.count});
    });
  }
}

WinogradEpilogue Forward::epilogue(std::size_t panel) const {
  constexpr float kUnbounded = std::numeric_limits<float>::infinity();
  WinogradEpilogue epilogue{};
  for (std::size_t i = 0; i < kWinogradPanel && options_.bias != nullptr; ++i) {
    const std::size_t channel = panel * kWinogradPanel + i;
    if (channel < options_.bias_count) epilogue.bias[i] = options_.bias[channel];
  }
  epilogue.lower = options_.relu ? 0.0f : -kUnbounded;
  epilogue.upper = options_.relu && options_.limit > 0.0f ? options_.limit : kUnbounded;
  return epilogue;
}

// Returns the convolution of the gradient that computes backward data.
WinogradShape mirrored(const WinogradShape& shape) {
  WinogradShape result = shape;
  result.in_channels = shape.out_channels;
  result.in_height = shape.out_height;
  result.in_width = shape.out_width;
  result.out_channels = shape.in_channels;
  result.out_height = shape.in_height;
  result.out_width = shape.in_width;
  result.pad_top = shape.taps - 1 - shape.pad_top;
  result.pad_left = shape.taps - 1 - shape.pad_left;
  return result;
}

}  // namespace

std::size_t winograd_forward_scratch(const WinogradShape& shape, std::size_t threads) {
  return Forward(shape, threads, false).scratch_floats();
}

void winograd_forward(const WinogradShape& shape, const void* source, const float* weights,
                      const WinogradResultOptions& options, void* result, float* scratch,
                      std::size_t threads) {
  Forward(shape, threads, false).run(source, weights, options, result, scratch);
}

std::size_t winograd_backward_data_scratch(const WinogradShape& shape, std::size_t threads) {
  return Forward(mirrored(shape), threads, true).scratch_floats();
}

void winograd_backward_data(const WinogradShape& shape, const void* gradient, const float* weights,
                            void* source_gradient, float* scratch, std::size_t threads) {
  Forward(mirrored(shape), threads, true).run(gradient, weights, {}, source_gradient, scratch);
}

}  // namespace convoy::cpu
