#pragma once

// Finds which cells of a depthwise convolution use which taps. Included only by the kernels, once
// per instruction set, so everything is in the set's own namespace.
#include "plugins/devices/cpu/kernels/depthwise.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {

// One dimension of a pass: the taps that contribute to a written cell, and the cells that they
// read. The first tap reads cell `read`. The next tap is tap_step further and reads the cell
// read_step further.
struct Meeting {
  std::size_t tap, taps;
  std::ptrdiff_t read;
};

struct Dimension {
  std::size_t kernel, stride, pad;
  std::size_t read_cells;
  bool backward;

  // Cells are written and read in step: every `phases`-th cell uses the same taps.
  std::size_t phases() const { return backward ? stride : 1; }
  std::size_t tap_step() const { return backward ? stride : 1; }
  std::ptrdiff_t read_step() const { return backward ? -1 : 1; }
  // Distance of the cells read for two successive written cells of a phase.
  std::size_t advance() const { return backward ? 1 : stride; }
  Meeting at(std::size_t cell) const {
    if (backward) {
      const std::size_t reach = cell + pad;
      const std::size_t last = reach / stride;
      const std::size_t skipped = last >= read_cells ? last + 1 - read_cells : 0;
      const std::size_t tap = reach % stride + skipped * stride;
      const std::size_t fitting = tap < kernel ? (kernel - 1 - tap) / stride + 1 : 0;
      const std::size_t left = skipped <= last ? last - skipped + 1 : 0;
      return {tap, fitting < left ? fitting : left,
              static_cast<std::ptrdiff_t>(last) - static_cast<std::ptrdiff_t>(skipped)};
    }
    const std::size_t start = cell * stride;
    const std::size_t tap = start < pad ? pad - start : 0;
    const std::size_t end = read_cells + pad > start ? read_cells + pad - start : 0;
    const std::size_t limit = end < kernel ? end : kernel;
    return {tap, limit > tap ? limit - tap : 0,
            static_cast<std::ptrdiff_t>(start + tap) - static_cast<std::ptrdiff_t>(pad)};
  }
};

inline Dimension rows_of(const PlaneWindows& w, bool backward) {
  return {w.kernel_height, w.stride_height, w.pad_top, backward ? w.out_height : w.in_height,
          backward};
}

inline Dimension columns_of(const PlaneWindows& w, bool backward) {
  return {w.kernel_width, w.stride_width, w.pad_left, backward ? w.out_width : w.in_width,
          backward};
}

// Neighbours in their phase that use the same taps.
struct Run {
  Meeting meeting;  // of the first cell
  std::size_t first, count;
};

inline Run run_at(const Dimension& dimension, std::size_t first, std::size_t end) {
  Run run{dimension.at(first), first, 1};
  for (std::size_t next = first + dimension.phases(); next < end; next += dimension.phases()) {
    const Meeting other = dimension.at(next);
    if (other.tap != run.meeting.tap || other.taps != run.meeting.taps) break;
    ++run.count;
  }
  return run;
}

// All columns of a row; they are the same in every row.
struct ColumnList {
  // A phase has one run in the middle and, at either end, at most one per tap that it uses.
  static constexpr std::size_t kMost = 2 * kMostDepthwiseTaps + 3 * kMostDepthwiseStride;

  ColumnList(const Dimension& dimension, std::size_t width) {
    for (std::size_t phase = 0; phase < dimension.phases(); ++phase) {
      for (std::size_t x = phase; x < width; x += runs[size++].count * dimension.phases()) {
        runs[size] = run_at(dimension, x, width);
      }
    }
  }

  Run runs[kMost];
  std::size_t size = 0;
};

// Written cells that use the same taps: rows and columns of one phase.
struct Box {
  const float* reads[kMostDepthwiseTaps];  // per tap: what the first cell reads
  std::size_t places[kMostDepthwiseTaps];  // positions of the taps in the filter
  std::size_t taps;
  std::size_t first_row, rows, row_step;
  std::size_t first_column, columns;
  std::size_t read_row, read_column;  // floats from one row and column to the next
};

// Puts the cells of a run of rows and a run of columns into the box, with the taps that they use.
template <std::size_t block>
void place(Box& box, const Dimension& rows, const Run& row, const Dimension& columns,
           const Run& column, const float* read) {
  box.taps = 0;
  box.first_row = row.first;
  box.rows = row.count;
  box.first_column = column.first;
  box.columns = column.count;
  for (std::size_t y = 0; y < row.meeting.taps; ++y) {
    const std::ptrdiff_t line =
        row.meeting.read + static_cast<std::ptrdiff_t>(y) * rows.read_step();
    const std::size_t tap = (row.meeting.tap + y * rows.tap_step()) * columns.kernel;
    for (std::size_t x = 0; x < column.meeting.taps; ++x) {
      const std::ptrdiff_t cell = line * static_cast<std::ptrdiff_t>(columns.read_cells) +
                                  column.meeting.read +
                                  static_cast<std::ptrdiff_t>(x) * columns.read_step();
      box.reads[box.taps] = read + cell * static_cast<std::ptrdiff_t>(block);
      box.places[box.taps++] = tap + column.meeting.tap + x * columns.tap_step();
    }
  }
}

// Rows that are processed together, so that their neighbours are still in the cache.
inline constexpr std::size_t kBand = 8;

// Calls use(box) for boxes that cover all cells of a pass, band by band.
template <std::size_t block, typename Use>
void each_box(const PlaneWindows& w, bool backward, const float* read, const Use& use) {
  const Dimension rows = rows_of(w, backward);
  const Dimension columns = columns_of(w, backward);
  const ColumnList list(columns, backward ? w.in_width : w.out_width);
  const std::size_t height = backward ? w.in_height : w.out_height;
  Box box;
  box.row_step = rows.phases();
  box.read_row = rows.advance() * columns.read_cells * block;
  box.read_column = columns.advance() * block;
  const std::size_t band = kBand * rows.phases();
  for (std::size_t top = 0; top < height; top += band) {
    const std::size_t end = top + band < height ? top + band : height;
    for (std::size_t phase = 0; phase < rows.phases(); ++phase) {
      for (std::size_t y = top + phase; y < end;) {
        const Run row = run_at(rows, y, end);
        y += row.count * rows.phases();
        for (std::size_t i = 0; i < list.size; ++i) {
          place<block>(box, rows, row, columns, list.runs[i], read);
          use(box);
        }
      }
    }
  }
}

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
