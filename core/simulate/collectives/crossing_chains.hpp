#pragma once

#include <vector>

#include "core/simulate/collectives/channel_search.hpp"

namespace convoy::simulate {

// Finds channels through a host where every device has a network card and a direct link to every
// other device. `ends` has an entry without `last` for each device. Each channel leaves from the
// card of its last device, so that none returns, and all of them together use every link once.
// Their rate is the rate of the slowest link. The result is empty on other hosts and for odd
// numbers of devices, which generally have no such channels. The channels are zigzags around a
// circle of devices: B. Alspach, "The wonderful Walecki construction", 2008.
Channels find_crossing_chains(const DeviceLinks& links, const std::vector<ChannelEnds>& ends);

}  // namespace convoy::simulate
