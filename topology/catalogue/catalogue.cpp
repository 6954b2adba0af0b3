#include "topology/catalogue/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text/number.hpp"
#include "topology/read/described_file.hpp"

namespace convoy::topology {
namespace {

constexpr const char* kDevicesFile = "devices.json";
constexpr const char* kHostsFile = "hosts.json";
constexpr const char* kFallbackHost = "unknown";

template <typename Entry>
struct ConstantField {
  const char* name;
  Fact<double> Entry::*member;
  bool required = false;
};

constexpr ConstantField<DeviceEntry> kDeviceFields[] = {
    {"peak_f64", &DeviceEntry::peak_f64},
    {"peak_f32", &DeviceEntry::peak_f32, true},
    {"peak_tf32", &DeviceEntry::peak_tf32},
    {"peak_f16", &DeviceEntry::peak_f16},
    {"peak_bf16", &DeviceEntry::peak_bf16},
    {"memory_bytes_per_second", &DeviceEntry::memory_bytes_per_second, true},
    {"memory_bytes", &DeviceEntry::memory_bytes, true},
    {"reserved_bytes", &DeviceEntry::reserved_bytes},
    {"multiprocessors", &DeviceEntry::multiprocessors, true},
    {"copy_engines", &DeviceEntry::copy_engines, true},
    {"nvlink_bricks", &DeviceEntry::nvlink_bricks},
    {"nvlink_bytes_per_second", &DeviceEntry::nvlink_bytes_per_second},
    {"nvswitch_gpus", &DeviceEntry::nvswitch_gpus},
    {"flops_efficiency", &DeviceEntry::flops_efficiency, true},
    {"memory_efficiency", &DeviceEntry::memory_efficiency, true},
    {"kernel_seconds", &DeviceEntry::kernel_seconds, true},
    {"gain_3x3", &DeviceEntry::gain_3x3},
    {"gain_5x5", &DeviceEntry::gain_5x5},
    {"layer_flops_efficiency", &DeviceEntry::layer_flops_efficiency},
    {"layer_memory_efficiency", &DeviceEntry::layer_memory_efficiency},
    {"narrow_channels", &DeviceEntry::narrow_channels},
    {"tensor_memory_efficiency", &DeviceEntry::tensor_memory_efficiency},
    {"tensor_operations_per_byte", &DeviceEntry::tensor_operations_per_byte},
    {"collective_progress", &DeviceEntry::collective_progress, true},
    {"collective_tax", &DeviceEntry::collective_tax, true},
    {"collective_seconds", &DeviceEntry::collective_seconds, true},
    {"dies_per_board", &DeviceEntry::dies_per_board},
    {"board_coupling", &DeviceEntry::board_coupling},
};

constexpr ConstantField<HostEntry> kHostFields[] = {
    {"memory_bytes_per_second", &HostEntry::memory_bytes_per_second, true},
    {"socket_bytes_per_second", &HostEntry::socket_bytes_per_second, true},
    {"add_bytes_per_second", &HostEntry::add_bytes_per_second, true},
    {"pcie_efficiency", &HostEntry::pcie_efficiency, true},
    {"nvlink_efficiency", &HostEntry::nvlink_efficiency, true},
    {"socket_efficiency", &HostEntry::socket_efficiency, true},
    {"network_efficiency", &HostEntry::network_efficiency, true},
    {"rdma_efficiency", &HostEntry::rdma_efficiency, true},
    {"decoded_images_per_core", &HostEntry::decoded_images_per_core, true},
    {"nvlink_hop_seconds", &HostEntry::nvlink_hop_seconds, true},
    {"pcie_hop_seconds", &HostEntry::pcie_hop_seconds, true},
    {"network_hop_seconds", &HostEntry::network_hop_seconds, true},
    {"proxy_seconds", &HostEntry::proxy_seconds, true},
    {"root_overhead", &HostEntry::root_overhead},
    {"peers_over_root", &HostEntry::peers_over_root},
};

template <typename Entry, std::size_t n>
void read_fields(DescribedObject& object, const ConstantField<Entry> (&fields)[n], Entry& entry) {
  for (const ConstantField<Entry>& field : fields)
    entry.*field.member =
        field.required ? object.constant(field.name) : object.constant_or_unknown(field.name);
  object.finish();
}

// A share is part of a whole: more than 1 is a mistake.
void check_share(const DescribedObject& object, const char* key, const Fact<double>& fact) {
  if (fact.value_or(0) > 1)
    object.reject(key, fmt::format("is {}: a share of a whole, at most 1", *fact.value));
}

DeviceEntry read_device(DescribedObject object) {
  DeviceEntry entry;
  entry.name = object.text("name");
  entry.generation = object.text("generation");
  for (const std::string& text : object.texts("pci_ids")) {
    const std::optional<PciId> id = parse_pci_id(text);
    if (!id)
      object.reject("pci_ids", fmt::format("holds \"{}\", which is not like \"10de:15f9\"", text));
    entry.ids.push_back(*id);
  }
  read_fields(object, kDeviceFields, entry);
  check_share(object, "flops_efficiency", entry.flops_efficiency);
  check_share(object, "memory_efficiency", entry.memory_efficiency);
  check_share(object, "layer_flops_efficiency", entry.layer_flops_efficiency);
  check_share(object, "layer_memory_efficiency", entry.layer_memory_efficiency);
  check_share(object, "tensor_memory_efficiency", entry.tensor_memory_efficiency);
  check_share(object, "collective_progress", entry.collective_progress);
  check_share(object, "board_coupling", entry.board_coupling);
  return entry;
}

HostEntry read_host(DescribedObject object) {
  HostEntry entry;
  entry.name = object.text("name");
  entry.processors = object.texts("processors");
  read_fields(object, kHostFields, entry);
  check_share(object, "pcie_efficiency", entry.pcie_efficiency);
  check_share(object, "nvlink_efficiency", entry.nvlink_efficiency);
  check_share(object, "socket_efficiency", entry.socket_efficiency);
  check_share(object, "network_efficiency", entry.network_efficiency);
  check_share(object, "rdma_efficiency", entry.rdma_efficiency);
  return entry;
}

}  // namespace

Catalogue Catalogue::read(const std::filesystem::path& folder) {
  Catalogue result;
  result.folder_ = folder;
  const DescribedFile devices(folder / kDevicesFile);
  DescribedObject device_list(devices);
  for (DescribedObject& object : device_list.objects("devices"))
    result.devices_.push_back(read_device(object));
  device_list.finish();
  const DescribedFile hosts(folder / kHostsFile);
  DescribedObject host_list(hosts);
  for (DescribedObject& object : host_list.objects("hosts"))
    result.hosts_.push_back(read_host(object));
  host_list.finish();
  if (result.find_host(kFallbackHost) == nullptr)
    host_list.reject("hosts", fmt::format("has no entry named \"{}\", which stands for processors "
                                          "that no other entry names",
                                          kFallbackHost));
  return result;
}

const DeviceEntry* Catalogue::find_device(const PciId& id) const {
  for (const DeviceEntry& entry : devices_)
    if (std::find(entry.ids.begin(), entry.ids.end(), id) != entry.ids.end()) return &entry;
  return nullptr;
}

const DeviceEntry* Catalogue::find_device(std::string_view name) const {
  for (const DeviceEntry& entry : devices_)
    if (entry.name == name) return &entry;
  return nullptr;
}

const DeviceEntry* Catalogue::find_device(const Node& gpu) const {
  const DeviceEntry* entry = gpu.id ? find_device(*gpu.id) : nullptr;
  return entry != nullptr || gpu.model.empty() ? entry : find_device(gpu.model);
}

const HostEntry* Catalogue::find_host(std::string_view name) const {
  for (const HostEntry& entry : hosts_)
    if (entry.name == name || name.ends_with(fmt::format(" ({})", entry.name))) return &entry;
  for (const HostEntry& entry : hosts_)
    for (const std::string& part : entry.processors)
      if (name.find(part) != std::string_view::npos) return &entry;
  return nullptr;
}

const HostEntry& Catalogue::fallback_host() const {
  const HostEntry* entry = find_host(kFallbackHost);
  CONVOY_CHECK(entry != nullptr);
  return *entry;
}

std::string Catalogue::missing_device(const Node& gpu) const {
  if (!gpu.id && gpu.model.empty())
    return fmt::format(
        "the speed of {} is unknown, since its source does not say which GPU it is: give its "
        "measured rate with --images_per_sec, or a description that says it, as convoy topo --json "
        "on that machine",
        gpu.name);
  const std::string id = gpu.id ? format_pci_id(*gpu.id) : "unknown PCI id";
  return fmt::format(
      "the speed of {} ({}{}{}) is unknown: add an entry with \"pci_ids\": [\"{}\"], its peak "
      "rates, "
      "memory rate and size to {}, or give its measured rate with --images_per_sec",
      gpu.name, gpu.model, gpu.model.empty() ? "" : ", ", id, gpu.id ? id : "VENDOR:DEVICE",
      (folder_ / kDevicesFile).string());
}

std::optional<PciId> parse_pci_id(std::string_view text) {
  if (text.size() != 9 || text[4] != ':') return std::nullopt;
  const auto vendor = parse_number<std::uint16_t>(text.substr(0, 4), 16);
  const auto device = parse_number<std::uint16_t>(text.substr(5), 16);
  if (!vendor || !device) return std::nullopt;
  return PciId{*vendor, *device};
}

std::string format_pci_id(const PciId& id) {
  return fmt::format("{:04x}:{:04x}", id.vendor, id.device);
}

}  // namespace convoy::topology
