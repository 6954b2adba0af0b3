#pragma once

#include <vector>

#include "core/simulate/collectives/channel_search.hpp"

namespace convoy::simulate {

// Channels through a host whose devices have a network card each (`ends`: one per device, without a
// last one) and a link of their own to every other device. Each channel leaves from the card of the
// device that it comes to last, so that none goes back, and all together use every link once. The
// rate is that of the slowest link, in bytes per second. Empty on other hosts, and for odd numbers
// of devices, which have no such channels in general.
// B. Alspach, "The wonderful Walecki construction", 2008: zigzags around a circle of devices.
Channels find_crossing_chains(const DeviceLinks& links, const std::vector<ChannelEnds>& ends);

}  // namespace convoy::simulate
