#include "topology/catalogue/platform_host.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace convoy::topology {
namespace {

constexpr std::uint32_t kMostGpus = 1024;       // of one host: a larger number is a typing error
constexpr std::uint32_t kMostBricks = 64;       // of a GPU; 18 was the most in 2024
constexpr std::uint32_t kMostCores = 1u << 16;  // of a host
constexpr double kLeastRate = 1e6;  // bytes per second: slower than a disk; no link is that slow
constexpr double kMostRate = 1e13;
constexpr double kLeastMemory = 1 << 28;
constexpr double kMostMemory = 1e15;
constexpr double kMostStep = 1;  // seconds that a card takes for a message

Fact<double> checked_rate(const DescribedObject& object, const char* key, Fact<double> rate) {
  if (rate.known() && (*rate.value < kLeastRate || *rate.value > kMostRate))
    object.reject(key, fmt::format("is {:g} bytes per second: from {:g} to {:g} is possible",
                                   *rate.value, kLeastRate, kMostRate));
  return rate;
}

Fact<double> rate_of(DescribedObject& object, const char* key) {
  return checked_rate(object, key, object.constant(key));
}

Fact<double> rate_or_unknown(DescribedObject& object, const char* key) {
  return checked_rate(object, key, object.constant_or_unknown(key));
}

std::uint32_t bricks_of(DescribedObject& object, const char* key, std::uint32_t otherwise) {
  const std::uint32_t count = object.count_or(key, otherwise);
  if (count > kMostBricks)
    object.reject(key, fmt::format("is {}: at most {} NVLinks", count, kMostBricks));
  return count;
}

std::uint32_t cores_of(const DescribedObject& object, const char* key, std::uint32_t count) {
  if (count > kMostCores)
    object.reject(key, fmt::format("is {}: at most {} cores", count, kMostCores));
  return count;
}

}  // namespace

PlatformHost::PlatformHost(const DescribedFile& file, const Catalogue& catalogue) {
  DescribedObject object(file);
  name_ = object.text("name");
  source_ = object.text("source");
  notes_ = object.texts("notes");
  read_constants(object, catalogue);
  for (DescribedObject& package : object.objects("packages")) read_package(package);
  if (packages_.empty()) object.reject("packages", "is missing or empty: at least one is needed");
  for (std::size_t i = 0; i < gpus_.size(); ++i)
    if (!gpus_[i].placed)
      object.reject("packages", fmt::format("hold no GPU {}, but GPU {}", i, gpus_.size() - 1));
  read_nvlink(object);
  if (object.has("network")) network_ = PlatformNetwork(object.object("network"));
  read_peer_access(object);
  object.finish();
}

void PlatformHost::read_constants(DescribedObject& object, const Catalogue& catalogue) {
  host_constants_ = object.text("host_constants");
  const HostEntry* host = catalogue.find_host(host_constants_);
  if (host == nullptr)
    object.reject("host_constants",
                  fmt::format("names \"{}\", which hosts.json of the catalogue does not have",
                              host_constants_));
  processor_ = object.text_or("processor", "");
  // A machine that is written and read again is known by its processors alone.
  if (catalogue.find_host(processor_) != host)
    processor_ =
        processor_.empty() ? host_constants_ : fmt::format("{} ({})", processor_, host_constants_);
  input_cores_ = cores_of(object, "input_cores", object.count_or("input_cores", 0));
  if (object.has("virtual_machine")) {
    virtual_machine_.value = object.flag_or("virtual_machine", false);
    virtual_machine_.source = source_;
  }
  const std::string gpu = object.text("gpu");
  if (const auto id = parse_pci_id(gpu)) device_ = catalogue.find_device(*id);
  if (device_ == nullptr) device_ = catalogue.find_device(gpu);
  if (device_ == nullptr)
    object.reject(
        "gpu",
        fmt::format("is \"{}\": the catalogue's devices.json has no such name or PCI id; add it",
                    gpu));
  gpus_per_process_ = object.count_or("gpus_per_process", 0);
  pcie_ = rate_of(object, "pcie_bytes_per_second");
  c2c_ = rate_or_unknown(object, "c2c_bytes_per_second");
  socket_ = rate_or_unknown(object, "socket_bytes_per_second");
  if (!socket_.known()) socket_ = host->socket_bytes_per_second;
  memory_rate_ = host->memory_bytes_per_second;
}

void PlatformHost::read_package(DescribedObject object) {
  const std::uint32_t cores = cores_of(object, "cores", object.count("cores", 1));
  const double memory = object.number_or("memory_bytes", 0);
  if (object.has("memory_bytes") && (memory < kLeastMemory || memory > kMostMemory))
    object.reject("memory_bytes", fmt::format("is {:g}: bytes, at least {:g} and at most {:g}",
                                              memory, kLeastMemory, kMostMemory));
  packages_.push_back({cores, memory});
  for (DescribedObject& bridge : object.objects("host_bridges")) {
    bridges_.push_back(
        {true, packages_.size() - 1, rate_or_unknown(bridge, "to_package_bytes_per_second")});
    read_bridge(bridge, bridges_.size() - 1);
  }
  object.finish();
}

void PlatformHost::read_bridge(DescribedObject& object, std::size_t bridge) {
  place_gpus(object, bridge);
  for (DescribedObject& card : object.objects("network_cards")) {
    cards_.push_back({card.text("name"),
                      bridge,
                      rate_of(card, "bytes_per_second"),
                      {},
                      card.constant_or_unknown("step_seconds"),
                      {}});
    const auto has_its_name = [&](const Card& it) { return it.name == cards_.back().name; };
    if (std::count_if(cards_.begin(), cards_.end(), has_its_name) > 1)
      card.reject("name", fmt::format("is {}, as of another card", cards_.back().name));
    if (cards_.back().step_seconds.value_or(0) > kMostStep)
      card.reject("step_seconds", fmt::format("is {:g}: at most {:g} seconds",
                                              *cards_.back().step_seconds.value, kMostStep));
    if (card.has("rdma")) cards_.back().rdma = {card.flag_or("rdma", false), source_};
    if (card.has("in_order")) cards_.back().in_order = {card.flag_or("in_order", true), source_};
    card.finish();
  }
  for (DescribedObject& below : object.objects("switches")) {
    const Fact<double> uplink = rate_or_unknown(below, "uplink_bytes_per_second");
    bridges_.push_back({false, bridge, uplink.known() ? uplink : pcie_});
    read_bridge(below, bridges_.size() - 1);
  }
  object.finish();
}

void PlatformHost::place_gpus(DescribedObject& object, std::size_t bridge) {
  for (const double number : object.numbers("gpus")) {
    const auto gpu = static_cast<std::uint32_t>(std::min<double>(number, kMostGpus));
    if (gpu >= kMostGpus || gpu != number)
      object.reject("gpus",
                    fmt::format("holds {}: GPUs have numbers from 0 to {}", number, kMostGpus - 1));
    if (gpus_.size() <= gpu) gpus_.resize(gpu + 1);
    if (gpus_[gpu].placed) object.reject("gpus", fmt::format("holds GPU {} a second time", gpu));
    gpus_[gpu] = {true, bridge, packages_.size() - 1};
  }
}

// Reads direct links one by one, or a link of every GPU to the NVSwitches.
void PlatformHost::read_nvlink(DescribedObject& object) {
  for (DescribedObject& edge : object.objects("nvlink")) {
    const NvlinkEdge read{edge.count("from"), edge.count("to"), bricks_of(edge, "bricks", 1)};
    if (read.from >= gpus_.size() || read.to >= gpus_.size() || read.from == read.to)
      edge.reject("to", fmt::format("leads from GPU {} to GPU {}: there are {} GPUs", read.from,
                                    read.to, gpus_.size()));
    if (has_nvlink(read.from, read.to))
      edge.reject("to", fmt::format("joins GPUs {} and {} a second time: give all their bricks at "
                                    "once",
                                    read.from, read.to));
    if (read.bricks == 0)
      edge.reject("bricks", "is 0: at least 1 is needed; leave out pairs without NVLink");
    edges_.push_back(read);
    edge.finish();
  }
  switched_bricks_ = bricks_of(object, "nvswitch_bricks_per_gpu", 0);
  check_bricks(object);
  if ((!edges_.empty() || switched_bricks_ > 0) && !device_->nvlink_bytes_per_second.known())
    object.reject("gpu", fmt::format("is {}, which has no nvlink_bytes_per_second in the catalogue",
                                     device_->name));
}

// Refuses a GPU with more NVLinks than it has bricks, to other GPUs or to the NVSwitches.
void PlatformHost::check_bricks(const DescribedObject& object) const {
  if (!device_->nvlink_bricks.known()) return;
  const double most = *device_->nvlink_bricks.value;
  const auto refuse = [&](const char* key, const std::string& problem) {
    object.reject(key, fmt::format("{}, but {} has {}", problem, device_->name, most));
  };
  if (switched_bricks_ > most)
    refuse("nvswitch_bricks_per_gpu", fmt::format("is {}", switched_bricks_));
  std::vector<std::uint32_t> direct(gpus_.size());
  for (const NvlinkEdge& edge : edges_)
    for (const std::size_t gpu : {edge.from, edge.to}) {
      direct[gpu] += edge.bricks;
      if (direct[gpu] > most)
        refuse("nvlink", fmt::format("gives GPU {} {} NVLinks", gpu, direct[gpu]));
    }
}

void PlatformHost::read_peer_access(DescribedObject& object) {
  DescribedObject access = object.object("peer_access");
  peer_access_ = access.text("between");
  peer_access_source_ = access.text("source");
  peers_over_root_ = access.flag_or("over_root", false);
  static constexpr const char* kKnown[] = {"all", "package", "none", "unknown"};
  if (std::find(std::begin(kKnown), std::end(kKnown), peer_access_) == std::end(kKnown))
    access.reject(
        "between",
        fmt::format("is \"{}\": all, package (also between GPUs with an NVLink), none and "
                    "unknown are possible",
                    peer_access_));
  access.finish();
}

}  // namespace convoy::topology
