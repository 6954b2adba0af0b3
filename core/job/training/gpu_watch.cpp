#include "core/job/training/gpu_watch.hpp"

#include <algorithm>

#include "topology/graph/graph_edit.hpp"

namespace convoy::job {
GpuWatch::GpuWatch(const std::vector<convoy_device_description>& devices) {
  // The locality of a CPU device is its cores, not an address.
  for (const convoy_device_description& device : devices)
    if (topology::parse_pci_address(device.locality) &&
        std::ranges::find(addresses_, device.locality) == addresses_.end())
      addresses_.emplace_back(device.locality);
  monitor_ = GpuMonitor::open(addresses_);
}

void GpuWatch::start() {
  if (monitor_) monitor_->start();
}

std::vector<GpuReadings> GpuWatch::readings() {
  if (!monitor_) return {};
  monitor_->stop();
  return monitor_->readings();
}

}  // namespace convoy::job
