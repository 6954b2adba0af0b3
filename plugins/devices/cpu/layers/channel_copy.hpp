#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "plugins/devices/cpu/onednn.hpp"
#include "plugins/devices/cpu/programs/task.hpp"

namespace convoy::cpu {

// The memory layout of an activation [images, channels, height, width] with channels in blocks (1 =
// planes of one channel, all = channels last). Element (n, c, cell) is at n * image + c / block *
// group + cell * step + c % block. Cells are counted row by row. All distances are in elements.
struct ChannelStorage {
  std::size_t images, channels, padded_channels, cells;
  std::size_t block, image, group, step;
};

// Returns nothing when the description has another form.
std::optional<ChannelStorage> channel_storage(const Desc& desc);

// Copies channels [from_first, from_first + channels) of one activation to [to_first, ...) of
// another with as many images and cells. The copy that writes the last channel also zeroes the
// padding behind it.
struct ChannelCopy {
  dnnl::memory to, from;
  std::size_t to_first, from_first, channels;
};

// Returns a task that makes all copies in one parallel pass over memory. All elements have one
// type. Every description must have a ChannelStorage, and no two copies may write the same channel.
Task copy_channels_task(const std::vector<ChannelCopy>& copies);

}  // namespace convoy::cpu
