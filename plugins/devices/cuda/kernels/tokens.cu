#include "plugins/devices/cuda/kernels/tokens.hpp"

#include "plugins/devices/cuda/kernels/vector_access.cuh"

namespace convoy::cuda {
namespace {

template <typename T>
__global__ void put_token_kernel(T* write, const T* read, const float* token, TokenShape shape,
                                 std::uint64_t count) {
  const std::uint64_t whole = (shape.cells + 1) * shape.channels;
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    const std::uint64_t image = i / whole, inside = i % whole;
    write[i] = inside < shape.channels
                   ? from_float<T>(token[inside])
                   : read[image * (whole - shape.channels) + inside - shape.channels];
  }
}

template <typename T>
__global__ void drop_token_kernel(T* write, const T* gradient, TokenShape shape, bool adds,
                                  std::uint64_t count) {
  const std::uint64_t part = shape.cells * shape.channels;
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    const T own = gradient[i + (i / part + 1) * shape.channels];
    write[i] = adds ? from_float<T>(to_float(write[i]) + to_float(own)) : own;
  }
}

template <typename T>
__global__ void add_positions_kernel(T* write, const T* read, const float* positions,
                                     std::uint64_t image_elements, std::uint64_t count) {
  for (std::uint64_t i = first_index(); i < count; i += index_stride())
    write[i] = from_float<T>(to_float(read[i]) + positions[i % image_elements]);
}

template <typename T>
__global__ void sum_images_kernel(float* write, const T* gradient, std::uint64_t images,
                                  std::uint64_t image_elements, std::uint64_t count) {
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    double sum = 0.0;
    for (std::uint64_t image = 0; image < images; ++image)
      sum += static_cast<double>(to_float(gradient[image * image_elements + i]));
    write[i] = static_cast<float>(sum);
  }
}

// The two cells of an axis that surround an upsampled one, and the share of the second.
struct Between {
  std::int64_t first, second;
  float share;
};

__device__ inline std::int64_t on_image(std::int64_t cell, std::int64_t size) {
  return cell < 0 ? 0 : cell >= size ? size - 1 : cell;
}

__device__ inline Between between(std::int64_t output, std::int64_t factor, std::int64_t size,
                                  bool interpolated) {
  if (!interpolated) return {output / factor, output / factor, 0.0f};
  const float place = (static_cast<float>(output) + 0.5f) / static_cast<float>(factor) - 0.5f;
  const float first = floorf(place);
  const auto cell = static_cast<std::int64_t>(first);
  return {on_image(cell, size), on_image(cell + 1, size), place - first};
}

// The share of a cell in an upsampled one.
__device__ inline float share_of(const Between& between, std::int64_t cell) {
  return (between.first == cell ? 1.0f - between.share : 0.0f) +
         (between.second == cell ? between.share : 0.0f);
}

template <typename T>
__global__ void upsample_kernel(T* write, const T* read, UpsampleShape s, std::uint64_t count) {
  const std::uint32_t width = s.in_width * s.column_factor;
  const std::uint32_t height = s.in_height * s.row_factor;
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    std::uint64_t image = i;
    const std::uint32_t channel = split(image, s.channels), x = split(image, width);
    const std::uint32_t y = split(image, height);
    const Between row = between(y, s.row_factor, s.in_height, s.interpolated);
    const Between column = between(x, s.column_factor, s.in_width, s.interpolated);
    const T* const from = read + image * s.in_height * s.in_width * s.channels + channel;
    const auto in_row = [&](std::int64_t at) {
      return (1.0f - column.share) * to_float(from[(at * s.in_width + column.first) * s.channels]) +
             column.share * to_float(from[(at * s.in_width + column.second) * s.channels]);
    };
    write[i] =
        from_float<T>((1.0f - row.share) * in_row(row.first) + row.share * in_row(row.second));
  }
}

// A cell has shares in the upsampled cells at its own position and at its neighbours'.
template <typename T>
__global__ void upsample_backward_kernel(T* write, const T* gradient, UpsampleShape s, bool adds,
                                         std::uint64_t count) {
  const std::int64_t width = static_cast<std::int64_t>(s.in_width) * s.column_factor;
  const std::int64_t height = static_cast<std::int64_t>(s.in_height) * s.row_factor;
  const std::int64_t reach = s.interpolated ? 1 : 0;
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    std::uint64_t rest = i;
    const std::int64_t channel = split(rest, s.channels), x = split(rest, s.in_width);
    const std::int64_t y = split(rest, s.in_height);
    const auto image = static_cast<std::int64_t>(rest);
    float sum = 0.0f;
    for (std::int64_t oy = on_image((y - reach) * s.row_factor, height);
         oy < height && oy < (y + 1 + reach) * s.row_factor; ++oy) {
      const float row = share_of(between(oy, s.row_factor, s.in_height, s.interpolated), y);
      if (row == 0.0f) continue;
      for (std::int64_t ox = on_image((x - reach) * s.column_factor, width);
           ox < width && ox < (x + 1 + reach) * s.column_factor; ++ox)
        sum += row * share_of(between(ox, s.column_factor, s.in_width, s.interpolated), x) *
               to_float(gradient[((image * height + oy) * width + ox) * s.channels + channel]);
    }
    write[i] = from_float<T>(adds ? to_float(write[i]) + sum : sum);
  }
}

}  // namespace

void put_token(Stream stream, const TokenShape& shape, void* write, const void* read,
               const float* token) {
  const std::uint64_t count = shape.images * (shape.cells + 1) * shape.channels;
  with_type(shape.type, [&](auto zero) {
    using T = decltype(zero);
    put_token_kernel<<<blocks_for(count), kThreads, 0, stream>>>(
        static_cast<T*>(write), static_cast<const T*>(read), token, shape, count);
  });
}

void drop_token(Stream stream, const TokenShape& shape, void* write, const void* gradient,
                bool adds) {
  const std::uint64_t count = shape.images * shape.cells * shape.channels;
  with_type(shape.type, [&](auto zero) {
    using T = decltype(zero);
    drop_token_kernel<<<blocks_for(count), kThreads, 0, stream>>>(
        static_cast<T*>(write), static_cast<const T*>(gradient), shape, adds, count);
  });
}

void add_positions(Stream stream, Type type, void* write, const void* read, const float* positions,
                   std::uint64_t images, std::uint64_t image_elements) {
  const std::uint64_t count = images * image_elements;
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    add_positions_kernel<<<blocks_for(count), kThreads, 0, stream>>>(
        static_cast<T*>(write), static_cast<const T*>(read), positions, image_elements, count);
  });
}

void sum_images(Stream stream, Type type, float* write, const void* gradient, std::uint64_t images,
                std::uint64_t image_elements, std::uint64_t count) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    sum_images_kernel<<<blocks_for(count), kThreads, 0, stream>>>(
        write, static_cast<const T*>(gradient), images, image_elements, count);
  });
}

void upsample(Stream stream, const UpsampleShape& shape, void* write, const void* read) {
  const std::uint64_t count = shape.images * shape.in_height * shape.row_factor * shape.in_width *
                              shape.column_factor * shape.channels;
  with_type(shape.type, [&](auto zero) {
    using T = decltype(zero);
    upsample_kernel<<<blocks_for(count), kThreads, 0, stream>>>(
        static_cast<T*>(write), static_cast<const T*>(read), shape, count);
  });
}

void upsample_backward(Stream stream, const UpsampleShape& shape, void* write, const void* gradient,
                       bool adds) {
  const std::uint64_t count = shape.images * shape.in_height * shape.in_width * shape.channels;
  with_type(shape.type, [&](auto zero) {
    using T = decltype(zero);
    upsample_backward_kernel<<<blocks_for(count), kThreads, 0, stream>>>(
        static_cast<T*>(write), static_cast<const T*>(gradient), shape, adds, count);
  });
}

}  // namespace convoy::cuda
