#include "plugins/devices/cpu/layers/channel_copy.hpp"

#include <algorithm>
#include <cstring>

#include "plugins/devices/cpu/lanes/team.hpp"

namespace convoy::cpu {
namespace {

// Consecutive channels within one block on both sides. from_first counts for copies only.
struct Run {
  std::size_t copy;
  std::size_t to, from, channels;  // elements from the image's start
  bool zero;
};

struct Sides {
  ChannelStorage to, from;
};

std::size_t place(const ChannelStorage& storage, std::size_t channel) {
  return channel / storage.block * storage.group + channel % storage.block;
}

void add_runs(std::size_t index, const ChannelCopy& copy, const Sides& sides,
              std::vector<Run>& runs) {
  const auto left = [](const ChannelStorage& storage, std::size_t channel) {
    return storage.block - channel % storage.block;
  };
  for (std::size_t done = 0; done < copy.channels;) {
    const std::size_t to = copy.to_first + done;
    const std::size_t from = copy.from_first + done;
    const std::size_t size =
        std::min({left(sides.to, to), left(sides.from, from), copy.channels - done});
    runs.push_back({index, place(sides.to, to), place(sides.from, from), size, false});
    done += size;
  }
  const std::size_t end = copy.to_first + copy.channels;
  if (end < sides.to.channels) return;
  for (std::size_t at = end; at < sides.to.padded_channels;) {
    const std::size_t size = std::min(left(sides.to, at), sides.to.padded_channels - at);
    runs.push_back({index, place(sides.to, at), 0, size, true});
    at += size;
  }
}

// Distances and sizes of runs are in bytes. With a size that the compiler knows, copying a cell
// takes one or two instructions.
template <std::size_t kBytes>
void copy_cells(char* to, std::size_t to_step, const char* from, std::size_t from_step,
                std::size_t cells) {
  for (std::size_t cell = 0; cell < cells; ++cell) {
    std::memcpy(to + cell * to_step, from + cell * from_step, kBytes);
  }
}

void copy_run(char* to, std::size_t to_step, const char* from, std::size_t from_step,
              std::size_t cells, std::size_t bytes) {
  if (bytes == to_step && bytes == from_step) {
    std::memcpy(to, from, cells * bytes);
    return;
  }
  switch (bytes) {
    case 4:
      return copy_cells<4>(to, to_step, from, from_step, cells);
    case 16:
      return copy_cells<16>(to, to_step, from, from_step, cells);
    case 32:
      return copy_cells<32>(to, to_step, from, from_step, cells);
    case 64:
      return copy_cells<64>(to, to_step, from, from_step, cells);
    default:
      for (std::size_t cell = 0; cell < cells; ++cell) {
        std::memcpy(to + cell * to_step, from + cell * from_step, bytes);
      }
  }
}

void zero_run(char* to, std::size_t step, std::size_t cells, std::size_t bytes) {
  for (std::size_t cell = 0; cell < cells; ++cell) std::memset(to + cell * step, 0, bytes);
}

char* bytes_of(const dnnl::memory& memory) {
  return static_cast<char*>(memory.get_data_handle());
}

}  // namespace

std::optional<ChannelStorage> channel_storage(const Desc& desc) {
  const std::optional<BlockedLayout> layout = blocked_layout(desc);
  const dnnl::memory::dims dims = dims_of(desc);
  if (!layout || dims.size() != 4) return std::nullopt;
  const dnnl::memory::dims& strides = layout->strides;
  const std::vector<dnnl::memory::dim>& inner = layout->inner_dimensions;
  const bool blocked = inner.size() == 1 && inner[0] == 1;
  if (!inner.empty() && !blocked) return std::nullopt;
  if (dims[2] > 1 && strides[2] != dims[3] * strides[3]) return std::nullopt;
  const auto count = [](dnnl::memory::dim value) { return static_cast<std::size_t>(value); };
  const dnnl::memory::dim side_by_side = strides[1] == 1 ? layout->padded[1] : 1;
  return ChannelStorage{count(dims[0]),
                        count(dims[1]),
                        count(layout->padded[1]),
                        count(dims[2] * dims[3]),
                        count(blocked ? layout->inner_sizes[0] : side_by_side),
                        count(strides[0]),
                        count(strides[1]),
                        count(strides[3])};
}

Task copy_channels_task(const std::vector<ChannelCopy>& copies) {
  std::vector<Sides> sides;
  std::vector<Run> runs;
  for (const ChannelCopy& copy : copies) {
    sides.push_back({*channel_storage(copy.to.get_desc()), *channel_storage(copy.from.get_desc())});
    add_runs(sides.size() - 1, copy, sides.back(), runs);
  }
  const std::size_t element = is_bf16(copies.front().to.get_desc()) ? sizeof(Bf16) : sizeof(float);
  return [copies, sides, runs, element](const TaskContext&) {
    parallel_indices(sides.front().to.images * runs.size(), [&](std::size_t index) {
      const std::size_t image = index / runs.size();
      const Run& run = runs[index % runs.size()];
      const auto& [to, from] = sides[run.copy];
      const std::size_t bytes = run.channels * element;
      char* write = bytes_of(copies[run.copy].to) + (image * to.image + run.to) * element;
      if (run.zero) return zero_run(write, to.step * element, to.cells, bytes);
      const char* read =
          bytes_of(copies[run.copy].from) + (image * from.image + run.from) * element;
      copy_run(write, to.step * element, read, from.step * element, to.cells, bytes);
    });
  };
}

}  // namespace convoy::cpu
