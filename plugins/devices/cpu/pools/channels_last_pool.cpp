#include "plugins/devices/cpu/pools/channels_last_pool.hpp"

#include <algorithm>

#include "plugins/devices/cpu/lanes/team.hpp"

namespace convoy::cpu {
namespace {

// One dimension of the windows.
struct Dimension {
  std::size_t cells, windows, kernel, stride, pad;
};

std::vector<Span> cells_of_windows(const Dimension& d) {
  std::vector<Span> spans;
  for (std::size_t window = 0; window < d.windows; ++window) {
    const std::size_t start = window * d.stride;
    const std::size_t end = start + d.kernel > d.pad ? start + d.kernel - d.pad : 0;
    spans.push_back({start > d.pad ? start - d.pad : 0, std::min(end, d.cells)});
  }
  return spans;
}

// The first window with a given cell is the first one that ends behind the cell.
std::vector<Span> windows_of_cells(const Dimension& d) {
  std::vector<Span> spans;
  for (std::size_t cell = 0; cell < d.cells; ++cell) {
    const std::size_t place = cell + d.pad;
    const std::size_t first = place < d.kernel ? 0 : (place - d.kernel) / d.stride + 1;
    spans.push_back({first, std::min(place / d.stride + 1, d.windows)});
  }
  return spans;
}

Dimension rows_of(const PlaneWindows& s) {
  return {s.in_height, s.out_height, s.kernel_height, s.stride_height, s.pad_top};
}

Dimension columns_of(const PlaneWindows& s) {
  return {s.in_width, s.out_width, s.kernel_width, s.stride_width, s.pad_left};
}

}  // namespace

ChannelsLastPool::ChannelsLastPool(const PlaneWindows& shape, std::size_t images,
                                   std::size_t channels)
    : shape_(shape),
      rows_of_windows_(cells_of_windows(rows_of(shape))),
      columns_of_windows_(cells_of_windows(columns_of(shape))),
      windows_of_rows_(windows_of_cells(rows_of(shape))),
      windows_of_columns_(windows_of_cells(columns_of(shape))),
      images_(images),
      channels_(channels),
      kernels_(&channels_last_pool_kernels()),
      shares_(window_shares(shape)) {}

template <typename Body>
void ChannelsLastPool::each_band(std::size_t height, const Body& body) const {
  constexpr std::size_t kRows = 8;  // per band: small enough to share an image among a team
  const std::size_t bands = (height + kRows - 1) / kRows;
  parallel_indices(images_ * bands, [&](std::size_t index) {
    const std::size_t first = index % bands * kRows;
    body(index / bands, RowBand{first, std::min(first + kRows, height)});
  });
}

void ChannelsLastPool::max_forward(const void* read, void* write, std::uint8_t* record) const {
  const auto* from = static_cast<const Bf16*>(read);
  auto* to = static_cast<Bf16*>(write);
  each_band(shape_.out_height, [&](std::size_t image, const RowBand& rows) {
    const std::size_t first = image * out_image();
    kernels_->max_forward(shape_, spans(), channels_, rows, from + image * in_image(), to + first,
                          record == nullptr ? nullptr : record + first);
  });
}

void ChannelsLastPool::max_backward(const void* gradient, const std::uint8_t* record, void* write,
                                    bool add) const {
  const auto* from = static_cast<const Bf16*>(gradient);
  auto* to = static_cast<Bf16*>(write);
  each_band(shape_.in_height, [&](std::size_t image, const RowBand& rows) {
    const std::size_t first = image * out_image();
    kernels_->max_backward(shape_, spans(), channels_, rows, from + first, record + first,
                           to + image * in_image(), add);
  });
}

void ChannelsLastPool::average_forward(const void* read, void* write) const {
  const auto* from = static_cast<const Bf16*>(read);
  auto* to = static_cast<Bf16*>(write);
  each_band(shape_.out_height, [&](std::size_t image, const RowBand& rows) {
    kernels_->average_forward(shape_, spans(), channels_, rows, from + image * in_image(),
                              shares_.data(), to + image * out_image());
  });
}

void ChannelsLastPool::average_backward(const void* gradient, void* write, bool add) const {
  const auto* from = static_cast<const Bf16*>(gradient);
  auto* to = static_cast<Bf16*>(write);
  each_band(shape_.in_height, [&](std::size_t image, const RowBand& rows) {
    kernels_->average_backward(shape_, spans(), channels_, rows, from + image * out_image(),
                               shares_.data(), to + image * in_image(), add);
  });
}

}  // namespace convoy::cpu
