#include "core/qualify/qualify_host.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "core/base/error.hpp"
#include "core/base/process/processors.hpp"
#include "core/base/text/system_text.hpp"
#include "core/data/pipeline/source_factory.hpp"
#include "core/job/component_options.hpp"
#include "core/job/hardware/run_hardware.hpp"
#include "core/job/sizes.hpp"
#include "core/job/training/input_only.hpp"
#include "core/qualify/clues.hpp"
#include "core/qualify/core_probe.hpp"
#include "core/qualify/storage_probe.hpp"
#include "topology/graph/graph_edit.hpp"

namespace convoy::qualify {
namespace {

constexpr const char* kHost = "host";
constexpr std::uint64_t kLittle = std::uint64_t{16} << 20;  // bytes of files
constexpr std::uint64_t kMuch = std::uint64_t{128} << 20;

std::vector<QualifiedDevice> qualified_devices(const runtime::OpenDevices& devices) {
  std::vector<QualifiedDevice> all;
  for (const convoy_device_description& it : devices.descriptions()) {
    QualifiedDevice device{it.name, it.model, it.locality};
    if (!topology::parse_pci_address(device.locality))
      device.cores = numbers_of_list(device.locality);
    if (it.numa_node != CONVOY_NONE) device.numa_node = it.numa_node;
    all.push_back(std::move(device));
  }
  return all;
}

class HostProbes {
 public:
  HostProbes(const ProbeTarget& target, const ProbeOptions& options)
      : target_(target), options_(options), cores_(usable_processors()) {
    host_.devices = qualified_devices(*target.devices);
    if (target.hardware != nullptr)
      host_.expected_by = fmt::format("{}: {}", target.hardware->name, target.hardware->rates);
  }

  HostQualification run() {
    const ThrottleCounts before = read_throttle_counts(root_, cores_);
    watch_gpus();
    probe_device_rates(target_, options_, host_);
    probe_cores_and_decoding();
    probe_links(target_, options_, host_);
    probe_collectives(target_, options_, host_);
    probe_folders();
    probe_training(target_, options_, host_);
    add_throttle_clues(before, read_throttle_counts(root_, cores_), host_.devices, host_.clues);
    if (monitor_) {
      monitor_->stop();
      add_gpu_clues(monitor_->readings(), host_.devices, host_.clues);
    }
    add_frequency_clues(root_, cores_, host_.devices, host_.clues);
    add_numa_clues(root_, host_.devices, cores_, host_.clues);
    add_system_clues(root_, system_libraries(), host_.devices, host_.clues);
    return std::move(host_);
  }

 private:
  void watch_gpus() {
    std::vector<std::string> addresses;
    for (const QualifiedDevice& device : host_.devices)
      if (topology::parse_pci_address(device.locality)) addresses.push_back(device.locality);
    monitor_ = GpuMonitor::open(addresses);
    if (monitor_) monitor_->start();
  }

  void add(Kind kind, const std::string& subject, const std::string& what, const char* unit,
           double rate) {
    host_.measurements.push_back(
        {.kind = kind, .subject = subject, .what = what, .unit = unit, .rate = rate});
  }

  void probe_cores_and_decoding() {
    options_.tell("cores");
    const std::vector<CoreRate> rates = probe_cores(options_.quick ? 0.3 : 1.0);
    double sum = 0;
    for (const CoreRate& it : rates) {
      add(Kind::kCore, fmt::format("core {}", it.core), "JPEG decoding, all cores at once",
          "images/s", it.images);
      sum += it.images;
    }
    add(Kind::kDecoding, kHost, fmt::format("JPEG decoding, cores together: {}", rates.size()),
        "images/s", sum);
    add_core_clues(rates, host_.devices, host_.clues);
    if (!target_.setup.options.data_dir.empty()) probe_input();
  }

  // Measures the data that training would read.
  void probe_input() {
    options_.tell("reading and preparing images");
    const std::uint32_t devices = target_.devices->cluster().replicas();
    const job::Sizes sizes = job::choose_sizes(target_.setup, devices);
    const data::DataOptions data = job::data_options(target_.setup, sizes, devices);
    const std::unique_ptr<data::BatchSource> source = data::make_source(data);
    const report::InputSpeed speed =
        job::measure_input(*source, data, {.warmup = 2, .timed = options_.quick ? 4 : 16},
                           [](std::int64_t, double) { return true; });
    if (speed.seconds > 0)
      add(Kind::kDecoding, kHost, "reading, decoding and preparing images", "images/s",
          static_cast<double>(speed.images) / speed.seconds);
  }

  void probe_folders() {
    const JobOptions& options = target_.setup.options;
    options_.tell("storage");
    const std::uint64_t bytes = options_.quick ? kLittle : kMuch;
    try {
      std::filesystem::path folder = options.checkpoints.train_dir;
      std::error_code error;
      if (folder.empty()) folder = std::filesystem::temp_directory_path(error);
      if (error)
        fail(
            ExitCode::kUnavailable,
            "the storage of checkpoints cannot be measured: there is no folder for temporary files "
            "({}); set TMPDIR to one",
            error.message());
      const StorageRates rates = probe_storage(folder, bytes);
      add(Kind::kStorage, folder.string(), "writing to the medium", "B/s", rates.write);
      add(Kind::kStorage, folder.string(), "reading", "B/s", rates.read);
    } catch (const Error& error) {
      host_.notices.emplace_back(error.what());
    }
    if (options.data_dir.empty()) return;
    try {
      if (const auto rate = probe_reading(options.data_dir, bytes))
        add(Kind::kStorage, options.data_dir, "reading the data", "B/s", *rate);
    } catch (const Error& error) {
      host_.notices.emplace_back(error.what());
    }
  }

  const ProbeTarget& target_;
  const ProbeOptions& options_;
  const SystemRoot root_{"/"};
  std::vector<unsigned> cores_;
  std::unique_ptr<GpuMonitor> monitor_;
  HostQualification host_;
};

}  // namespace

std::unique_ptr<job::SimulatedHardware> known_hardware(job::Setup& setup,
                                                       std::vector<std::string>& notices) {
  job::open_devices_early(setup);
  try {
    auto hardware = std::make_unique<job::SimulatedHardware>(job::hardware_of_run(setup));
    notices.insert(notices.end(), hardware->notices.begin(), hardware->notices.end());
    return hardware;
  } catch (const Error& error) {
    notices.push_back(fmt::format("rates are only compared with each other: {}", error.what()));
    return nullptr;
  }
}

HostQualification qualify_host(const ProbeTarget& target, const ProbeOptions& options) {
  return HostProbes(target, options).run();
}

}  // namespace convoy::qualify
