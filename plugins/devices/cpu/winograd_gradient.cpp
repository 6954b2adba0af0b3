// The gradients of a Winograd convolution's weights and bias.
#include <omp.h>

#include "plugins/devices/cpu/team.hpp"
#include "plugins/devices/cpu/winograd_tiles.hpp"

namespace convoy::cpu {
namespace {

constexpr std::size_t kRowsPerProduct = 24;  // input channels; multiple of lanes and of row blocks

// The adjoint of the forward transforms. Per batch of tiles: first all threads transform the source
// into [point][tile][channel] and the gradient into [point][panel][tile][16]; then each takes input
// channels with a panel of output channels, sums over the batch's tiles and transforms the sums
// back into gradients of the weights, to which later batches add. The order of all sums follows
// from the shape.
class Gradient {
 public:
  Gradient(const WinogradShape& shape, std::size_t threads)
      : shape_(shape),
        threads_(threads),
        panels_(divide_up(shape.out_channels, kWinogradPanel)),
        tile_stride_(shape.in_channels + kWinogradSkew),
        tiling_(shape.batch, shape.out_height, shape.out_width,
                tile_stride_ + panels_ * kWinogradPanel),
        source_stride_(tiling_.tiles_at_once() * tile_stride_ + kWinogradSkew),
        panel_stride_(tiling_.tiles_at_once() * kWinogradPanel),
        gradient_stride_(panels_ * panel_stride_ + kWinogradSkew) {}

  std::size_t scratch_floats() const {
    return kWinogradPoints * (source_stride_ + gradient_stride_) + threads_ * kOwnFloats;
  }

  void run(const float* source, const float* gradient, float* weights_gradient, float* scratch);

 private:
  static constexpr std::size_t kSumsStride = kRowsPerProduct * kWinogradPanel + kWinogradSkew;
  static constexpr std::size_t kOwnFloats = kWinogradPoints * kSumsStride;

  void transform_source(std::size_t row, std::size_t panel) const;
  void transform_gradient(std::size_t row, std::size_t panel) const;
  void sum(std::size_t panel, std::size_t in, std::size_t tiles, float* sums) const;
  void write(std::size_t panel, std::size_t in, std::size_t count, const float* sums) const;

  WinogradShape shape_;
  std::size_t threads_;
  std::size_t panels_;
  std::size_t tile_stride_;
  WinogradTiling tiling_;
  std::size_t source_stride_, panel_stride_, gradient_stride_;
  const WinogradKernels& kernels_ = winograd_kernels();
  WinogradImages source_{}, gradient_{};
  float* weights_gradient_ = nullptr;
  float* source_points_ = nullptr;
  float* gradient_points_ = nullptr;
  std::size_t first_row_ = 0;  // of the batch of tiles at hand
};

void Gradient::run(const float* source, const float* gradient, float* weights_gradient,
                   float* scratch) {
  source_ = {const_cast<float*>(source), shape_.in_channels, shape_.in_height, shape_.in_width,
             shape_.block};
  gradient_ = {const_cast<float*>(gradient), shape_.out_channels, shape_.out_height,
               shape_.out_width, shape_.block};
  weights_gradient_ = weights_gradient;
  source_points_ = scratch;
  gradient_points_ = scratch + kWinogradPoints * source_stride_;
  float* sums = gradient_points_ + kWinogradPoints * gradient_stride_;
  const std::size_t in_panels = source_.panels();
  const std::size_t all_panels = in_panels + panels_;
  const std::size_t row_groups = divide_up(shape_.in_channels, kRowsPerProduct);
  for (first_row_ = 0; first_row_ < tiling_.rows; first_row_ += tiling_.rows_at_once) {
    const std::size_t rows = std::min(tiling_.rows_at_once, tiling_.rows - first_row_);
#pragma omp parallel num_threads(static_cast <int>(threads_))
    {
      float* own = sums + static_cast<std::size_t>(omp_get_thread_num()) * kOwnFloats;
#pragma omp for schedule(static)
      for (std::size_t item = 0; item < rows * all_panels; ++item) {
        const std::size_t panel = item % all_panels;
        if (panel < in_panels) {
          transform_source(item / all_panels, panel);
        } else {
          transform_gradient(item / all_panels, panel - in_panels);
        }
      }
#pragma omp for schedule(dynamic, 1)
      for (std::size_t item = 0; item < panels_ * row_groups; ++item) {
        sum(item / row_groups, item % row_groups * kRowsPerProduct, rows * tiling_.columns, own);
      }
    }
  }
}

void Gradient::transform_source(std::size_t row, std::size_t panel) const {
  const std::size_t global = first_row_ + row;
  const std::size_t y = global % tiling_.image_rows * kWinogradTile;
  kernels_.transform_source(
      source_.plane(global / tiling_.image_rows, panel),
      {static_cast<std::ptrdiff_t>(y) - static_cast<std::ptrdiff_t>(shape_.pad_top),
       -static_cast<std::ptrdiff_t>(shape_.pad_left), tiling_.columns},
      source_points_ + row * tiling_.columns * tile_stride_ + panel * kWinogradPanel,
      source_stride_, tile_stride_);
}

void Gradient::transform_gradient(std::size_t row, std::size_t panel) const {
  const std::size_t global = first_row_ + row;
  const std::size_t y = global % tiling_.image_rows * kWinogradTile;
  kernels_.transform_gradient(
      gradient_.plane(global / tiling_.image_rows, panel),
      {static_cast<std::ptrdiff_t>(y), 0, tiling_.columns},
      gradient_points_ + panel * panel_stride_ + row * tiling_.columns * kWinogradPanel,
      gradient_stride_, kWinogradPanel);
}

void Gradient::sum(std::size_t panel, std::size_t in, std::size_t tiles, float* sums) const {
  const std::size_t count = std::min(kRowsPerProduct, shape_.in_channels - in);
  for (std::size_t point = 0; point < kWinogradPoints; ++point) {
    const float* values = source_points_ + point * source_stride_ + in;
    const float* columns = gradient_points_ + point * gradient_stride_ + panel * panel_stride_;
    for (std::size_t tile = 0; tile < tiles; tile += kWinogradDepth) {
      kernels_.multiply_transposed(values + tile * tile_stride_, tile_stride_,
                                   columns + tile * kWinogradPanel, sums + point * kSumsStride,
                                   count, std::min(kWinogradDepth, tiles - tile), tile > 0);
    }
  }
  write(panel, in, count, sums);
}

void Gradient::write(std::size_t panel, std::size_t in, std::size_t count,
                     const float* sums) const {
  const std::size_t block = shape_.block;
  const std::size_t in_blocks = shape_.in_channels / block;
  for (std::size_t group = 0; group < 2; ++group) {
    const std::size_t out = panel * kWinogradPanel + group * kWinogradLanes;
    if (out >= shape_.out_channels) break;
    for (std::size_t row = 0; row < count; row += kWinogradLanes) {
      const std::size_t channel = in + row;
      float* taps = weights_gradient_ +
                    (out / block * in_blocks + channel / block) * kWinogradTaps * block * block;
      kernels_.transform_weights_gradient(
          sums + row * kWinogradPanel + group * kWinogradLanes, kSumsStride, kWinogradLanes,
          first_row_ > 0, taps + channel % block * block + out % block, block * block, block);
    }
  }
}

}  // namespace

std::size_t winograd_backward_weights_scratch(const WinogradShape& shape, std::size_t threads) {
  return Gradient(shape, threads).scratch_floats();
}

void winograd_backward_weights(const WinogradShape& shape, const float* source,
                               const float* gradient, float* weights_gradient, float* scratch,
                               std::size_t threads) {
  Gradient(shape, threads).run(source, gradient, weights_gradient, scratch);
}

// Sums per row of pixels, then of those, so that rounding errors stay small.
void winograd_backward_bias(const WinogradShape& shape, const float* gradient, float* bias_gradient,
                            std::size_t bias_count) {
  const std::size_t block = shape.block;
  const std::size_t row_floats = shape.out_width * block;
  parallel_indices(shape.out_channels / block, [&](std::size_t channels) {
    double sums[16] = {};
    for (std::size_t image = 0; image < shape.batch; ++image) {
      const float* row = gradient + (image * shape.out_channels + channels * block) *
                                        shape.out_height * shape.out_width;
      for (std::size_t y = 0; y < shape.out_height; ++y, row += row_floats) {
        float row_sums[16] = {};
        for (std::size_t i = 0; i < row_floats; i += block) {
          for (std::size_t lane = 0; lane < block; ++lane) row_sums[lane] += row[i + lane];
        }
        for (std::size_t lane = 0; lane < block; ++lane) {
          sums[lane] += static_cast<double>(row_sums[lane]);
        }
      }
    }
    for (std::size_t lane = 0; lane < block && channels * block + lane < bias_count; ++lane) {
      bias_gradient[channels * block + lane] = static_cast<float>(sums[lane]);
    }
  });
}

}  // namespace convoy::cpu
