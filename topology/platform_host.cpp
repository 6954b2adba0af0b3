#include "topology/platform_host.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace convoy::topology {
namespace {

constexpr std::uint32_t kMostGpus = 1024;  // of one host: more is a slip of the hand

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
  input_cores_ = object.count_or("input_cores", 0);
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
  pcie_ = object.constant("pcie_bytes_per_second");
  socket_ = object.constant_or_unknown("socket_bytes_per_second");
  if (!socket_.known()) socket_ = host->socket_bytes_per_second;
  memory_rate_ = host->memory_bytes_per_second;
}

void PlatformHost::read_package(DescribedObject object) {
  packages_.push_back({object.count("cores", 1), object.number_or("memory_bytes", 0)});
  for (DescribedObject& bridge : object.objects("host_bridges")) {
    bridges_.push_back(
        {true, packages_.size() - 1, bridge.constant_or_unknown("to_package_bytes_per_second")});
    read_bridge(bridge, bridges_.size() - 1);
  }
  object.finish();
}

void PlatformHost::read_bridge(DescribedObject& object, std::size_t bridge) {
  place_gpus(object, bridge);
  for (DescribedObject& card : object.objects("network_cards")) {
    cards_.push_back({card.text("name"),
                      bridge,
                      card.constant("bytes_per_second"),
                      {},
                      card.constant_or_unknown("step_seconds")});
    if (card.has("rdma")) cards_.back().rdma = {card.flag_or("rdma", false), source_};
    card.finish();
  }
  for (DescribedObject& below : object.objects("switches")) {
    const Fact<double> uplink = below.constant_or_unknown("uplink_bytes_per_second");
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

// Direct links one by one, or every GPU to the NVSwitches.
void PlatformHost::read_nvlink(DescribedObject& object) {
  for (DescribedObject& edge : object.objects("nvlink")) {
    const NvlinkEdge read{edge.count("from"), edge.count("to"), edge.count_or("bricks", 1)};
    if (read.from >= gpus_.size() || read.to >= gpus_.size() || read.from == read.to)
      edge.reject("to", fmt::format("leads from GPU {} to GPU {}: there are {} GPUs", read.from,
                                    read.to, gpus_.size()));
    edges_.push_back(read);
    edge.finish();
  }
  switched_bricks_ = object.count_or("nvswitch_bricks_per_gpu", 0);
  if ((!edges_.empty() || switched_bricks_ > 0) && !device_->nvlink_bytes_per_second.known())
    object.reject("gpu", fmt::format("is {}, which has no nvlink_bytes_per_second in the catalogue",
                                     device_->name));
}

void PlatformHost::read_peer_access(DescribedObject& object) {
  DescribedObject access = object.object("peer_access");
  peer_access_ = access.text("between");
  peer_access_source_ = access.text("source");
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
