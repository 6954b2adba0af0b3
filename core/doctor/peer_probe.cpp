#include <fmt/format.h>

#include "core/base/system/nvml_library.hpp"
#include "core/doctor/probes.hpp"

namespace convoy::doctor {
namespace {

void links(const NvmlLibrary& nvml, const std::vector<NvmlDevice*>& devices, Findings& findings) {
  unsigned active = 0;
  unsigned inactive = 0;
  for (NvmlDevice* device : devices)
    for (unsigned link = 0; link < kNvmlLinks; ++link) {
      unsigned on = 0;
      if (nvml.link_state(device, link, &on) == 0) ++(on != 0 ? active : inactive);
    }
  if (active + inactive == 0)
    return findings.push_back({"NVLink", Health::kOk, "these GPUs have none", ""});
  const std::string text = fmt::format("{} of {} links up", active, active + inactive);
  if (inactive == 0) return findings.push_back({"NVLink", Health::kOk, text, ""});
  findings.push_back(
      {"NVLink", Health::kWarn, text,
       "check bridges and, with NVSwitch, the fabric manager: nvidia-smi nvlink -s"});
}

void peer_access(const NvmlLibrary& nvml, const std::vector<NvmlDevice*>& devices,
                 Findings& findings) {
  unsigned possible = 0;
  unsigned pairs = 0;
  for (NvmlDevice* from : devices)
    for (NvmlDevice* to : devices) {
      unsigned status = 1;
      if (from == to || nvml.peer_status(from, to, kNvmlPeerRead, &status) != 0) continue;
      ++pairs;
      possible += status == 0 ? 1 : 0;
    }
  if (pairs == 0)
    return findings.push_back({"peer access", Health::kOk, "there is only one GPU", ""});
  const std::string text = fmt::format("{} of {} pairs of GPUs", possible, pairs);
  if (possible == pairs) return findings.push_back({"peer access", Health::kOk, text, ""});
  findings.push_back({"peer access", Health::kWarn, text,
                      "other copies go through host memory: see the IOMMU and bridges below, and "
                      "nvidia-smi topo -p2p r"});
}

void address_translation(const SystemRoot& root, Findings& findings) {
  const std::size_t groups = root.names("sys/kernel/iommu_groups").size();
  if (!root.exists("sys/kernel"))
    return findings.push_back({"IOMMU", Health::kUnknown, "/sys is not mounted", ""});
  if (groups == 0) return findings.push_back({"IOMMU", Health::kOk, "off", ""});
  const std::string options = root.text("proc/cmdline").value_or("");
  const std::string text = fmt::format("on, {} groups", groups);
  if (options.find("iommu=pt") != std::string::npos ||
      options.find("iommu.passthrough=1") != std::string::npos)
    return findings.push_back({"IOMMU", Health::kOk, text + ", passing devices through", ""});
  findings.push_back({"IOMMU", Health::kWarn, text,
                      "it may stop or slow copies between GPUs: start Linux with iommu=pt, outside "
                      "virtual machines"});
}

std::uint32_t word_at(const std::string& config, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i)
    word |= std::uint32_t{static_cast<unsigned char>(config[at + i])} << (8 * i);
  return word;
}

// Returns the control bits of a bridge's access control services. They are in capability 0x000d of
// the list that begins at byte 256 of its configuration space (PCI Express base specification,
// 7.8.1 and 7.7.8).
std::uint32_t access_control(const std::string& config) {
  constexpr std::size_t kFirst = 256;
  constexpr std::uint32_t kAccessControl = 0x000d;
  std::size_t at = kFirst;
  for (int steps = 0; steps < 64 && at >= kFirst && at + 8 <= config.size(); ++steps) {
    const std::uint32_t header = word_at(config, at);
    if ((header & 0xffff) == kAccessControl) return word_at(config, at + 4) >> 16;
    at = header >> 20;
  }
  return 0;
}

void bridge_access_control(const SystemRoot& root, Findings& findings) {
  constexpr const char* kSubject = "access control of PCIe bridges";
  constexpr std::uint32_t kRedirects = 0x0c;  // redirects requests and completions up to the host
  std::size_t bridges = 0;
  std::size_t readable = 0;
  std::size_t redirecting = 0;
  for (const std::string& address : root.names("sys/bus/pci/devices")) {
    const std::string folder = "sys/bus/pci/devices/" + address;
    if (!root.text(folder + "/class").value_or("").starts_with("0x0604")) continue;
    ++bridges;
    const std::string config = root.text(folder + "/config").value_or("");
    if (config.size() <= 256) continue;
    ++readable;
    redirecting += (access_control(config) & kRedirects) != 0 ? 1 : 0;
  }
  if (bridges == 0) return;
  if (readable == 0)
    return findings.push_back({kSubject, Health::kUnknown,
                               "only root may read the bridges' configuration",
                               "sudo convoy doctor"});
  const std::string text = fmt::format("redirects at {} of {} bridges", redirecting, bridges);
  if (redirecting == 0) return findings.push_back({kSubject, Health::kOk, text, ""});
  findings.push_back({kSubject, Health::kWarn, text,
                      "copies between GPUs below one switch go up to the host and back: switch ACS "
                      "off in the firmware's settings"});
}

}  // namespace

void probe_gpu_links(const DynamicLibraries& libraries, Findings& findings) {
  const auto unknown = [&](const std::string& why) {
    findings.push_back({"NVLink and peer access", Health::kUnknown, why, ""});
  };
  std::string reason;
  const std::unique_ptr<NvmlLibrary> nvml = NvmlLibrary::open(kNvmlFile, libraries, reason);
  if (!nvml) return unknown(reason);
  if (nvml->link_state == nullptr || nvml->peer_status == nullptr)
    return unknown(fmt::format("{} is too old to say", kNvmlFile));
  unsigned count = 0;
  if (nvml->count(&count) != 0) return unknown("NVML does not say how many GPUs there are");
  std::vector<NvmlDevice*> devices;
  for (unsigned i = 0; i < count; ++i) {
    NvmlDevice* device = nullptr;
    if (nvml->device(i, &device) == 0) devices.push_back(device);
  }
  links(*nvml, devices, findings);
  peer_access(*nvml, devices, findings);
}

void probe_peers(const SystemRoot& root, const DynamicLibraries& libraries, Findings& findings) {
  if (nvidia_gpu_count(root) == 0) return;
  probe_gpu_links(libraries, findings);
  address_translation(root, findings);
  bridge_access_control(root, findings);
}

}  // namespace convoy::doctor
