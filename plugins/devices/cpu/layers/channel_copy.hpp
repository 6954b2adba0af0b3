#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "plugins/devices/cpu/onednn.hpp"
#include "plugins/devices/cpu/programs/task.hpp"

namespace convoy::cpu {

// How an activation [images, channels, height, width] lies in memory when channels come in blocks
// (1 = planes of one channel, all = channels last). Element (n, c, cell) is at n * image + c /
// block * group + cell * step + c % block; cells are counted row by row. All in elements.
struct ChannelStorage {
  std::size_t images, channels, padded_channels, cells;
  std::size_t block, image, group, step;
};

// Nothing when the description has another form.
std::optional<ChannelStorage> channel_storage(const Desc& desc);

// Channels [from_first, from_first + channels) of one activation for [to_first, ...) of another of
// as many images and cells. Whichever copy writes the last channel also zeroes the padding behind.
struct ChannelCopy {
  dnnl::memory to, from;
  std::size_t to_first, from_first, channels;
};

// All of them in one parallel pass over memory, all of elements of one type. Every description must
// have a ChannelStorage, and no two copies may write the same channel.
Task copy_channels_task(const std::vector<ChannelCopy>& copies);

}  // namespace convoy::cpu
