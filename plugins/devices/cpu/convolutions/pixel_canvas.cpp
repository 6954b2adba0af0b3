#include "plugins/devices/cpu/convolutions/pixel_canvas.hpp"

#include <algorithm>

namespace convoy::cpu {
namespace {

// One dimension of a tap. It reads, for a result's pixel p, the source's pixel stride * (p + steps)
// + remainder.
struct Shift {
  std::ptrdiff_t steps;
  std::size_t remainder;
};

Shift shift_of(std::size_t tap, std::size_t pad, std::size_t stride) {
  const std::size_t lead =
      (pad + stride - 1) / stride;  // whole steps, so that no offset is negative
  const std::size_t moved = tap + lead * stride - pad;
  return {static_cast<std::ptrdiff_t>(moved / stride) - static_cast<std::ptrdiff_t>(lead),
          moved % stride};
}

// One dimension of the canvas: how many of a plane's pixels the result reads, and how many
// positions an image needs, so that no tap with the same remainder reads a pixel of the next image
// or row.
struct Extent {
  std::size_t pixels, positions;
};

Extent extent_of(std::size_t kernel, std::size_t remainder, std::size_t pad, std::size_t stride,
                 std::size_t source, std::size_t result) {
  std::ptrdiff_t least = 0, most = -static_cast<std::ptrdiff_t>(result);
  for (std::size_t tap = 0; tap < kernel; ++tap) {
    const Shift shift = shift_of(tap, pad, stride);
    if (shift.remainder != remainder) continue;
    least = std::min(least, shift.steps);
    most = std::max(most, shift.steps);
  }
  const auto reached = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(result) + most);
  const std::size_t stored = (source + stride - 1 - std::min(remainder, source)) / stride;
  const std::size_t pixels = std::min(stored, reached);
  return {pixels, std::max({result, reached, pixels + static_cast<std::size_t>(-least)})};
}

ConvolutionShape as_one_row(ConvolutionShape shape) {
  if (!is_dense_1x1(shape)) return shape;
  shape.in_width = shape.out_width = shape.batch * shape.in_height * shape.in_width;
  shape.batch = shape.in_height = shape.out_height = 1;
  return shape;
}

}  // namespace

PixelCanvas::PixelCanvas(const ConvolutionShape& shape)
    : PixelCanvas(as_one_row(shape), dense_steps(as_one_row(shape))) {}

PixelCanvas::PixelCanvas(const ConvolutionShape& shape, const SourceSteps& source)
    : shape_(shape),
      source_(source),
      images_(shape_.batch),
      rows_(shape_.out_height),
      columns_(shape_.out_width) {
  add_taps();
}

std::size_t PixelCanvas::plane_of(std::size_t row, std::size_t column) {
  for (std::size_t i = 0; i < planes_.size(); ++i) {
    if (planes_[i].row == row && planes_[i].column == column) return i;
  }
  const Extent down = extent_of(shape_.kernel_height, row, shape_.pad_top, shape_.stride_height,
                                shape_.in_height, shape_.out_height);
  const Extent across = extent_of(shape_.kernel_width, column, shape_.pad_left, shape_.stride_width,
                                  shape_.in_width, shape_.out_width);
  rows_ = std::max(rows_, down.positions);
  columns_ = std::max(columns_, across.positions);
  planes_.push_back({row, column, down.pixels, across.pixels, 0, 0});
  return planes_.size() - 1;
}

void PixelCanvas::add_taps() {
  struct Shifts {
    Shift down, across;
  };
  std::vector<Shifts> shifts;
  for (std::size_t y = 0; y < shape_.kernel_height; ++y) {
    for (std::size_t x = 0; x < shape_.kernel_width; ++x) {
      shifts.push_back({shift_of(y, shape_.pad_top, shape_.stride_height),
                        shift_of(x, shape_.pad_left, shape_.stride_width)});
      taps_.push_back({plane_of(shifts.back().down.remainder, shifts.back().across.remainder), 0});
    }
  }
  // The width of the canvas is known only after all planes.
  std::vector<bool> seen(planes_.size());
  for (std::size_t i = 0; i < taps_.size(); ++i) {
    const std::size_t index = taps_[i].plane;
    Plane& plane = planes_[index];
    const std::ptrdiff_t offset =
        shifts[i].down.steps * static_cast<std::ptrdiff_t>(columns_) + shifts[i].across.steps;
    plane.first_offset = seen[index] ? std::min(plane.first_offset, offset) : offset;
    plane.last_offset = seen[index] ? std::max(plane.last_offset, offset) : offset;
    taps_[i].offset = offset;
    seen[index] = true;
  }
}

void PixelCanvas::find_source(const Plane& plane, std::ptrdiff_t first, std::size_t count,
                              const Bf16* source, const Bf16* empty, const Bf16** found) const {
  find({.first = source + plane.row * source_.row + plane.column * source_.pixel,
        .rows = plane.rows,
        .columns = plane.columns,
        .image = source_.image,
        .row = shape_.stride_height * source_.row,
        .pixel = shape_.stride_width * source_.pixel},
       first, count, empty, found);
}

void PixelCanvas::find_result(std::size_t first, std::size_t count, const Bf16* result,
                              const Bf16* empty, const Bf16** found) const {
  const std::size_t row = shape_.out_width * shape_.out_channels;
  find({.first = result,
        .rows = shape_.out_height,
        .columns = shape_.out_width,
        .image = shape_.out_height * row,
        .row = row,
        .pixel = shape_.out_channels},
       static_cast<std::ptrdiff_t>(first), count, empty, found);
}

void PixelCanvas::find(const Grid& grid, std::ptrdiff_t first, std::size_t count, const Bf16* empty,
                       const Bf16** found) const {
  const std::size_t before =
      first < 0 ? std::min(static_cast<std::size_t>(-first), count) : std::size_t{0};
  std::fill_n(found, before, empty);
  const auto begin = static_cast<std::size_t>(first + static_cast<std::ptrdiff_t>(before));
  std::size_t column = begin % columns_, line = begin / columns_;
  for (std::size_t done = before; done < count; column = 0, ++line) {
    const std::size_t wanted = std::min(columns_ - column, count - done);
    const std::size_t image = line / rows_, row = line % rows_;
    std::size_t pixels = 0;
    if (image < images_ && row < grid.rows && column < grid.columns) {
      pixels = std::min(wanted, grid.columns - column);
      const Bf16* at = grid.first + image * grid.image + row * grid.row + column * grid.pixel;
      for (std::size_t i = 0; i < pixels; ++i) found[done + i] = at + i * grid.pixel;
    }
    std::fill_n(found + done + pixels, wanted - pixels, empty);
    done += wanted;
  }
}

}  // namespace convoy::cpu
