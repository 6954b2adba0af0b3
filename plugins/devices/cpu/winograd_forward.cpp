// Winograd convolutions forward; backward data is the same with the weights transposed and
// mirrored.
#include <omp.h>

#include <cstring>
#include <limits>

#include "plugins/devices/cpu/winograd_tiles.hpp"

namespace convoy::cpu {
namespace {

constexpr std::size_t kTilesPerProduct = 48;  // their products stay in the second-level cache

// One convolution while it runs. Per batch of tiles: first all threads transform the source into
// points [point][tile][channel]; then each takes panels of sixteen result channels with a stretch
// of tiles, transforms the panel's weights for itself, multiplies and transforms the products back.
class Forward {
 public:
  Forward(const WinogradShape& shape, std::size_t threads)
      : shape_(shape),
        threads_(threads),
        tiling_(shape.batch, shape.out_height, shape.out_width, shape.in_channels + kWinogradSkew),
        tile_stride_(shape.in_channels + kWinogradSkew),
        point_stride_(tiling_.tiles_at_once() * tile_stride_ + kWinogradSkew),
        weights_stride_(shape.in_channels * kWinogradPanel + kWinogradSkew),
        products_stride_(kTilesPerProduct * kWinogradPanel + kWinogradSkew) {}

  std::size_t scratch_floats() const { return shared_floats() + threads_ * own_floats(); }

  // transposed: weights are those of the convolution whose data gradient this is.
  void run(const float* source, const float* weights, bool transposed,
           const WinogradResultOptions& options, float* result, float* scratch);

 private:
  std::size_t shared_floats() const { return kWinogradPoints * point_stride_; }
  std::size_t own_floats() const { return kWinogradPoints * (weights_stride_ + products_stride_); }
  void transform_row(std::size_t row, std::size_t panel, float* points) const;
  void transform_weights(std::size_t panel, float* transformed) const;
  void transform_mirrored(std::size_t column, std::size_t row, float* transformed) const;
  void multiply(std::size_t panel, std::size_t first_tile, std::size_t end_tile, float* own) const;
  void write_results(std::size_t panel, std::size_t first_tile, std::size_t count,
                     const float* products) const;
  WinogradEpilogue epilogue(std::size_t panel) const;

  WinogradShape shape_;
  std::size_t threads_;
  WinogradTiling tiling_;
  std::size_t tile_stride_, point_stride_, weights_stride_, products_stride_;
  const WinogradKernels& kernels_ = winograd_kernels();
  WinogradImages source_{}, result_{};
  const float* weights_ = nullptr;
  bool transposed_ = false;
  WinogradResultOptions options_;
  float* points_ = nullptr;
  std::size_t first_row_ = 0;  // of the batch of tiles at hand
};

void Forward::run(const float* source, const float* weights, bool transposed,
                  const WinogradResultOptions& options, float* result, float* scratch) {
  source_ = {const_cast<float*>(source), shape_.in_channels, shape_.in_height, shape_.in_width,
             shape_.block};
  result_ = {result, shape_.out_channels, shape_.out_height, shape_.out_width, shape_.block};
  weights_ = weights;
  transposed_ = transposed;
  options_ = options;
  points_ = scratch;
  const std::size_t in_panels = source_.panels();
  const std::size_t out_panels = result_.panels();
  for (first_row_ = 0; first_row_ < tiling_.rows; first_row_ += tiling_.rows_at_once) {
    const std::size_t rows = std::min(tiling_.rows_at_once, tiling_.rows - first_row_);
    const std::size_t tiles = rows * tiling_.columns;
    const std::size_t products = divide_up(tiles, kTilesPerProduct);
    // Stretches of tiles only where there are too few panels for all threads.
    const std::size_t wanted = out_panels % threads_ == 0 ? 1 : divide_up(4 * threads_, out_panels);
    const std::size_t stretch = divide_up(products, std::min(products, wanted)) * kTilesPerProduct;
    const std::size_t stretches = divide_up(tiles, stretch);
#pragma omp parallel num_threads(static_cast <int>(threads_))
    {
      float* own =
          scratch + shared_floats() + static_cast<std::size_t>(omp_get_thread_num()) * own_floats();
#pragma omp for schedule(static)
      for (std::size_t item = 0; item < rows * in_panels; ++item) {
        transform_row(item / in_panels, item % in_panels, points_);
      }
#pragma omp for schedule(dynamic, 1)
      for (std::size_t item = 0; item < out_panels * stretches; ++item) {
        const std::size_t first = item % stretches * stretch;
        multiply(item / stretches, first, std::min(first + stretch, tiles), own);
      }
    }
  }
}

void Forward::transform_row(std::size_t row, std::size_t panel, float* points) const {
  const std::size_t global = first_row_ + row;
  const std::size_t y = global % tiling_.image_rows * kWinogradTile;
  kernels_.transform_source(
      source_.plane(global / tiling_.image_rows, panel),
      {static_cast<std::ptrdiff_t>(y) - static_cast<std::ptrdiff_t>(shape_.pad_top),
       -static_cast<std::ptrdiff_t>(shape_.pad_left), tiling_.columns},
      points + row * tiling_.columns * tile_stride_ + panel * kWinogradPanel, point_stride_,
      tile_stride_);
}

// Weights lie as [out block][in block][tap][in][out] of the convolution that is forward.
void Forward::transform_weights(std::size_t panel, float* transformed) const {
  const std::size_t block = shape_.block;
  const std::size_t in_blocks = shape_.in_channels / block;
  for (std::size_t group = 0; group < 2; ++group) {
    const std::size_t out = panel * kWinogradPanel + group * kWinogradLanes;
    for (std::size_t in = 0; in < shape_.in_channels; in += kWinogradLanes) {
      float* to = transformed + in * kWinogradPanel + group * kWinogradLanes;
      if (out >= shape_.out_channels) {
        for (std::size_t point = 0; point < kWinogradPoints; ++point) {
          for (std::size_t row = 0; row < kWinogradLanes; ++row) {
            std::memset(to + point * weights_stride_ + row * kWinogradPanel, 0,
                        kWinogradLanes * sizeof(float));
          }
        }
      } else if (transposed_) {
        transform_mirrored(out, in, to);
      } else {
        const float* taps =
            weights_ + (out / block * in_blocks + in / block) * kWinogradTaps * block * block;
        kernels_.transform_weights(taps + in % block * block + out % block, block * block, block,
                                   kWinogradLanes, to, weights_stride_);
      }
    }
  }
}

// The result's channels are the stored weights' inputs, the source's their outputs.
void Forward::transform_mirrored(std::size_t column, std::size_t row, float* transformed) const {
  const std::size_t block = shape_.block;
  const float* taps = weights_ + (row / block * (shape_.out_channels / block) + column / block) *
                                     kWinogradTaps * block * block;
  alignas(64) float mirrored[kWinogradLanes * kWinogradTaps * kWinogradLanes];
  kernels_.mirror_weights(taps + column % block * block + row % block, block * block, block,
                          mirrored);
  kernels_.transform_weights(mirrored, kWinogradLanes, kWinogradTaps * kWinogradLanes,
                             kWinogradLanes, transformed, weights_stride_);
}

void Forward::multiply(std::size_t panel, std::size_t first_tile, std::size_t end_tile,
                       float* own) const {
  float* transformed = own;
  float* products = own + kWinogradPoints * weights_stride_;
  transform_weights(panel, transformed);
  for (std::size_t tile = first_tile; tile < end_tile; tile += kTilesPerProduct) {
    const std::size_t count = std::min(kTilesPerProduct, end_tile - tile);
    for (std::size_t point = 0; point < kWinogradPoints; ++point) {
      const float* values = points_ + point * point_stride_ + tile * tile_stride_;
      const float* columns = transformed + point * weights_stride_;
      for (std::size_t depth = 0; depth < shape_.in_channels; depth += kWinogradDepth) {
        kernels_.multiply(values + depth, tile_stride_, columns + depth * kWinogradPanel,
                          products + point * products_stride_, count,
                          std::min(kWinogradDepth, shape_.in_channels - depth), depth > 0);
      }
    }
    write_results(panel, tile, count, products);
  }
}

void Forward::write_results(std::size_t panel, std::size_t first_tile, std::size_t count,
                            const float* products) const {
  const WinogradEpilogue epilogue = this->epilogue(panel);
  for (std::size_t done = 0; done < count;) {
    const std::size_t row = first_row_ + (first_tile + done) / tiling_.columns;
    const std::size_t column = (first_tile + done) % tiling_.columns;
    const std::size_t size = std::min(tiling_.columns - column, count - done);
    const std::size_t y = row % tiling_.image_rows * kWinogradTile;
    kernels_.transform_result(products + done * kWinogradPanel, products_stride_, kWinogradPanel,
                              epilogue, result_.plane(row / tiling_.image_rows, panel),
                              {static_cast<std::ptrdiff_t>(y),
                               static_cast<std::ptrdiff_t>(column * kWinogradTile), size});
    done += size;
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

// Backward data as a convolution of the gradient.
WinogradShape mirrored(const WinogradShape& shape) {
  WinogradShape result = shape;
  result.in_channels = shape.out_channels;
  result.in_height = shape.out_height;
  result.in_width = shape.out_width;
  result.out_channels = shape.in_channels;
  result.out_height = shape.in_height;
  result.out_width = shape.in_width;
  result.pad_top = 2 - shape.pad_top;
  result.pad_left = 2 - shape.pad_left;
  return result;
}

}  // namespace

std::size_t winograd_forward_scratch(const WinogradShape& shape, std::size_t threads) {
  return Forward(shape, threads).scratch_floats();
}

void winograd_forward(const WinogradShape& shape, const float* source, const float* weights,
                      const WinogradResultOptions& options, float* result, float* scratch,
                      std::size_t threads) {
  Forward(shape, threads).run(source, weights, false, options, result, scratch);
}

std::size_t winograd_backward_data_scratch(const WinogradShape& shape, std::size_t threads) {
  return Forward(mirrored(shape), threads).scratch_floats();
}

void winograd_backward_data(const WinogradShape& shape, const float* gradient, const float* weights,
                            float* source_gradient, float* scratch, std::size_t threads) {
  Forward(mirrored(shape), threads).run(gradient, weights, true, {}, source_gradient, scratch);
}

}  // namespace convoy::cpu
