#include "core/job/gpu_watch.hpp"

#include <algorithm>

#include "topology/graph/graph_edit.hpp"

namespace convoy::job {
namespace {

using topology::GpuReadings;
using topology::SensorSummary;

std::optional<GpuRecord::Sensor> sensor(const SensorSummary& summary) {
  if (summary.count == 0) return std::nullopt;
  return GpuRecord::Sensor{summary.mean(), summary.least, summary.most};
}

GpuRecord gpu_record(const GpuReadings& readings) {
  GpuRecord record;
  record.pci_address = readings.pci_address;
  record.watts = sensor(readings.watts);
  record.degrees = sensor(readings.degrees);
  record.sm_megahertz = sensor(readings.sm_megahertz);
  record.memory_megahertz = sensor(readings.memory_megahertz);
  if (readings.samples > 0)
    record.throttled_share =
        static_cast<double>(readings.throttled_samples) / static_cast<double>(readings.samples);
  record.throttle_reasons = readings.throttle_reasons;
  return record;
}

}  // namespace

GpuWatch::GpuWatch(const Session& session, const std::string& library) {
  // CPU devices say their cores, which are no address.
  for (const convoy_device_description& device : session.devices())
    if (topology::parse_pci_address(device.locality) &&
        std::ranges::find(addresses_, device.locality) == addresses_.end())
      addresses_.emplace_back(device.locality);
  monitor_ = topology::GpuMonitor::open(addresses_, library);
}

void GpuWatch::start() {
  if (monitor_) monitor_->start();
}

GpusRecord GpuWatch::record() {
  GpusRecord result;
  if (!monitor_) return result;
  monitor_->stop();
  for (const GpuReadings& readings : monitor_->readings())
    result.gpus.push_back(gpu_record(readings));
  return result;
}

}  // namespace convoy::job
