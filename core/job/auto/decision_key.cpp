#include "core/job/auto/decision_key.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include "core/base/numbers/fnv.hpp"
#include "core/job/auto/auto_rule.hpp"
#include "core/job/simulation/prediction_options.hpp"
#include "core/plugin/search_path.hpp"
#include "core/simulate/layers/layer_rates.hpp"

namespace convoy::job {
namespace {

// With more places than this, the paths between them are not part of the key, because a table of
// them would take megabytes. Runs that are simulated before they begin are on one host.
constexpr std::size_t kMostPlaces = 64;

std::string file_text(const std::filesystem::path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return fmt::format("{} ?\n", path.string());
  return fmt::format("{} {} {}.{:09}\n", path.string(), facts.st_size, facts.st_mtim.tv_sec,
                     facts.st_mtim.tv_nsec);
}

std::string files_text(const Setup& setup) {
  std::string text = file_text("/proc/self/exe");
  for (const plugin::FoundPlugin& plugin : setup.catalog.plugins())
    if (plugin.manifest.kind != plugin::PluginKind::kModel) text += file_text(plugin.path);
  const std::string& named = setup.options.device;
  if (named.find('/') != std::string::npos) text += file_text(named);
  const plugin::Manifest& device = setup.device->manifest();
  return text + fmt::format("on {} {} ({})\n", device.name, device.version, setup.options.device);
}

std::string model_text(const graph::Graph& graph) {
  std::string text = fmt::format("{} {} images\n", graph.model(), graph.image_size());
  for (const graph::GraphVariable& variable : graph.variables())
    text += fmt::format("{} ", variable.elements);
  return text + fmt::format("; {} multiply-adds\n", graph.multiply_adds());
}

std::string device_text(const simulate::SimulatedDevice& it) {
  const std::uint64_t layers = it.layer_rates ? it.layer_rates->fingerprint() : 0;
  return fmt::format(
      "{} {}: {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}, "
      "layers {:016x}\n",
      it.name, it.generation, it.flops_per_second, it.half_flops_per_second,
      it.tf32_flops_per_second, it.memory_bytes_per_second, it.memory_bytes, it.reserved_bytes,
      it.flops_efficiency, it.memory_efficiency, it.kernel_seconds, it.gain_3x3, it.gain_5x5,
      it.layer_flops_efficiency, it.layer_memory_efficiency, it.narrow_channels,
      it.tensor_memory_efficiency, it.tensor_operations_per_byte, it.copy_engines, it.one_engine,
      it.collective_progress, it.collective_tax, it.waits_for_kernel, it.collective_seconds,
      fmt::join(it.board_rates, "/"), layers);
}

std::string link_text(const simulate::SimulatedLink& it) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {}\n", it.name, it.bytes_per_second,
                     it.latency_seconds, it.receives, it.joins_sockets, static_cast<int>(it.wire),
                     it.raw_bytes_per_second, it.bricks, it.assumed, it.in_order);
}

std::string host_text(const simulate::SimulatedHost& it) {
  return fmt::format("{}: {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}\n", it.name,
                     it.pcie_efficiency, it.nvlink_efficiency, it.socket_efficiency,
                     it.network_efficiency, it.rdma_efficiency, it.memory_bytes_per_second,
                     it.add_bytes_per_second, it.memory_bytes, it.input_cores,
                     it.decoded_images_per_core, it.add_share_while_decoding, it.nvlink_hop_seconds,
                     it.pcie_hop_seconds, it.network_hop_seconds, it.proxy_seconds,
                     it.root_overhead, it.peers_over_root, it.devices_per_process);
}

std::string place_text(const simulate::SimulatedPlace& it) {
  return fmt::format("{} {} {} {} {} {} {}\n", it.host, it.device, it.board, it.memory,
                     it.memory_bytes, it.in_host_memory, it.memories);
}

std::string machine_text(const simulate::SimulatedMachine& machine) {
  std::string text = fmt::format("networks reduce {}\n", machine.network_reduces);
  for (const simulate::SimulatedDevice& device : machine.devices) text += device_text(device);
  for (const simulate::SimulatedLink& link : machine.links) text += link_text(link);
  for (const simulate::SimulatedHost& host : machine.hosts) text += host_text(host);
  for (const simulate::SimulatedPlace& place : machine.places) text += place_text(place);
  return text;
}

// Returns the simulator's inputs besides the machine's constants, and the start of the choice.
std::string described_text(const SimulatedHardware& hardware) {
  const std::filesystem::path share = plugin::share_directory();
  return file_text(share / "profiles" / (hardware.software.name + ".json")) +
         file_text(share / "catalogue" / "collectives.json") +
         file_text(share / "select" / "rules.json");
}

// Returns the devices of the run and their driver, because trials of strategies measure these, too.
// The machine describes processors.
std::string accelerators_text(const Setup& setup, const SimulatedHardware& hardware,
                              const SystemRoot& root) {
  if (hardware.on_host_processors) return {};
  std::string text = root.text("proc/driver/nvidia/version").value_or("no driver's version") + "\n";
  if (setup.open_devices == nullptr) return text;
  for (const convoy_device_description& it : setup.open_devices->descriptions())
    text += fmt::format("{} {} at {}, {} bytes\n", it.name, it.model, it.locality, it.memory_bytes);
  return text;
}

// Returns how places are connected. The same devices and links that connect other pairs are another
// machine.
std::string ways_text(const plan::Cluster& cluster) {
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
        const plan::Route route = cluster.route(p, q);
        text += fmt::format(" {} {} {}", route.kind, route.bytes_per_second, route.shared_group);
      }
      text += '\n';
    }
  return text;
}

// Returns the paths between places in the simulator, as a hash, because every path lists its links.
std::string paths_text(const simulate::SimulatedCluster& on) {
  const auto places = static_cast<std::uint32_t>(on.cluster.places.size());
  if (places > kMostPlaces) return {};
  Fnv1a64 hash;
  for (std::uint32_t p = 0; p < places; ++p) {
    if (on.machine.has_near_card && p < on.cluster.replicas())
      hash.add_word(on.machine.has_near_card(p) ? 1 : 0);
    if (on.machine.near_memory && p < on.cluster.replicas())
      hash.add_word(on.machine.near_memory(p));
    for (std::uint32_t q = 0; q < places; ++q) {
      if (p == q) continue;
      const simulate::Path path = on.machine.paths(p, q);
      hash.add_bytes(fmt::format("{} {} {} {};", static_cast<int>(path.kind), path.over_root,
                                 fmt::join(path.links, " "), fmt::join(path.shares, " ")));
    }
  }
  return fmt::format("paths {:016x}\n", hash.value());
}

}  // namespace

std::string decision_key(const Setup& setup, const SimulatedHardware& hardware,
                         const ChoiceSubject& subject, const SystemRoot& root) {
  const JobOptions& options = setup.options;
  const plan::GuardOptions guard = guard_options(options);
  std::string text = files_text(setup) + described_text(hardware) + model_text(*setup.graph) +
                     accelerators_text(setup, hardware, root);
  text += fmt::format("{} hosts with {} devices, {} images each, {} threads\n", subject.hosts,
                      subject.devices, subject.batch, options.threads_per_device);
  text += fmt::format("{}, {}, {}, {}, known error {}\n", hardware.name, hardware.rates,
                      hardware.software.name, hardware.calibrated ? "calibrated" : "nominal",
                      hardware.known_error);
  const simulate::SimulatedCluster on = hardware.cluster(subject.hosts, subject.devices);
  text += machine_text(on.machine) + ways_text(on.cluster) + paths_text(on);
  for (const auto& [option, value] : given_strategy_options(setup))
    text += fmt::format("--{}={} ", option, value);
  text += fmt::format(
      "buckets {}, arithmetic {}, optimizer {}, data {}, inexact {}, guard {} {} {} {}\n",
      options.bucket_mb ? fmt::format("{}", *options.bucket_mb) : "of any size",
      static_cast<int>(arithmetic(options, hardware)), static_cast<int>(options.optimizer.kind),
      !options.data_dir.empty(), options.auto_inexact, guard.clip_norm, guard.scales_loss(),
      guard.automatic_loss_scale, guard.gradient_norms);
  return text;
}

}  // namespace convoy::job
