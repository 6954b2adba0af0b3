#include "core/job/decision_key.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include "core/job/prediction_options.hpp"
#include "core/plugin/search_path.hpp"

namespace convoy::job {
namespace {

// Ways between more places are left out: a table of them would be megabytes, and a run that is
// simulated before it begins is on one host.
constexpr std::size_t kMostPlaces = 64;

std::string file_text(const std::filesystem::path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return fmt::format("{} ?\n", path.string());
  return fmt::format("{} {} {}.{:09}\n", path.string(), facts.st_size, facts.st_mtim.tv_sec,
                     facts.st_mtim.tv_nsec);
}

std::string files_text(const Setup& setup) {
  std::string text = file_text("/proc/self/exe");
  for (const FoundPlugin& plugin : setup.catalog.plugins())
    if (plugin.manifest.kind != PluginKind::kModel) text += file_text(plugin.path);
  const std::string& named = setup.options.device;
  if (named.find('/') != std::string::npos) text += file_text(named);
  const Manifest& device = setup.device->manifest();
  return text + fmt::format("on {} {} ({})\n", device.name, device.version, setup.options.device);
}

std::string model_text(const Setup& setup) {
  const Graph& graph = *setup.graph;
  std::string text = fmt::format("{} {} images\n", graph.model(), graph.image_size());
  for (const GraphVariable& variable : graph.variables())
    text += fmt::format("{} ", variable.elements);
  return text + fmt::format("; {} multiply-adds\n", graph.multiply_adds());
}

std::string device_text(const simulate::SimulatedDevice& it) {
  return fmt::format("{}: {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}\n",
                     it.name, it.flops_per_second, it.half_flops_per_second,
                     it.memory_bytes_per_second, it.memory_bytes, it.reserved_bytes,
                     it.flops_efficiency, it.memory_efficiency, it.kernel_seconds, it.gain_3x3,
                     it.gain_5x5, it.layer_flops_efficiency, it.layer_memory_efficiency,
                     it.narrow_channels, it.tensor_memory_efficiency, it.tensor_operations_per_byte,
                     it.copy_engines, it.one_engine, it.collective_progress, it.collective_tax,
                     it.waits_for_kernel, it.collective_seconds, fmt::join(it.board_rates, "/"));
}

std::string machine_text(const simulate::SimulatedCluster& cluster) {
  std::string text;
  for (const simulate::SimulatedDevice& device : cluster.machine.devices)
    text += device_text(device);
  for (const simulate::SimulatedLink& link : cluster.machine.links)
    text += fmt::format("{} {} {}\n", link.name, link.bytes_per_second, link.latency_seconds);
  for (const simulate::SimulatedHost& host : cluster.machine.hosts)
    text += fmt::format("{}: {} {} {}\n", host.name, host.memory_bytes_per_second,
                        host.add_bytes_per_second, host.memory_bytes);
  return text;
}

// How places are joined: the same devices and links with other pairs of them are another machine.
std::string ways_text(const Cluster& cluster) {
  std::string text =
      fmt::format("collectives {}, joined updates {}, priorities {}\n", cluster.device_collectives,
                  cluster.joins_updates, cluster.device_priorities);
  const auto places = static_cast<std::uint32_t>(cluster.places.size());
  if (places > kMostPlaces) return text;
  for (std::uint32_t p = 0; p < places; ++p)
    for (std::uint32_t q = 0; q < places; ++q) {
      if (p == q) continue;
      text += fmt::format("{} {}: {}", p, q, bool{cluster.access[p][q]});
      if (cluster.route) {
        const Route route = cluster.route(p, q);
        text += fmt::format(" {} {} {}", route.kind, route.bytes_per_second, route.shared_group);
      }
      text += '\n';
    }
  return text;
}

}  // namespace

std::string decision_key(const Setup& setup, const SimulatedHardware& hardware,
                         const ChoiceSubject& subject) {
  const JobOptions& options = setup.options;
  const GuardOptions& guard = setup.guard;
  std::string text = files_text(setup) + model_text(setup);
  text += fmt::format("{} hosts with {} devices, {} images each, {} threads\n", subject.hosts,
                      subject.devices, subject.batch, options.threads_per_device);
  text += fmt::format("{}, {}, {}, {}, known error {}\n", hardware.name, hardware.rates,
                      hardware.software.name, hardware.calibrated ? "calibrated" : "nominal",
                      hardware.known_error);
  const simulate::SimulatedCluster on = hardware.cluster(subject.hosts, subject.devices);
  text += machine_text(on) + ways_text(on.cluster);
  for (const auto& [option, value] : given_strategy_options(setup))
    text += fmt::format("--{}={} ", option, value);
  text += fmt::format(
      "buckets {}, arithmetic {}, optimizer {}, data {}, inexact {}, guard {} {} {} {}\n",
      options.bucket_mb.value_or(0), static_cast<int>(arithmetic(setup, hardware)),
      static_cast<int>(options.optimizer.kind), !options.data_dir.empty(), options.auto_inexact,
      guard.clip_norm, guard.scales_loss(), guard.automatic_loss_scale, guard.gradient_norms);
  return text;
}

}  // namespace convoy::job
