#include "core/runtime/network/cluster_task.hpp"

#include "core/base/error.hpp"

namespace convoy::runtime {

Engines engines_of(const ClusterTask& task, const OpenDevices& devices) {
  const std::vector<plan::Place>& places = task.cluster->places;
  Engines engines(places.size(), nullptr);
  std::size_t next = 0;
  for (std::size_t p = 0; p < places.size(); ++p) {
    if (places[p].host != task.host || places[p].kind != CONVOY_PLACE_DEVICE) continue;
    if (next < devices.descriptions().size()) engines[p] = devices.engines()[next];
    ++next;
  }
  if (next > devices.descriptions().size() || (next > 0 && next < devices.descriptions().size()))
    fail(ExitCode::kUsage,
         "host {} of the cluster has {} devices there, but {} are open here; give every task its "
         "own --num_devices, or the same to all",
         task.host, next, devices.descriptions().size());
  for (std::size_t p = 0; p < places.size(); ++p)
    if (places[p].host == task.host && places[p].kind == CONVOY_PLACE_HOST)
      engines[p] = places[p].served_by.empty() ? devices.engines().front()
                                               : engines[places[p].served_by.front()];
  return engines;
}

}  // namespace convoy::runtime
