#include <fmt/format.h>

#include "core/base/text/system_text.hpp"
#include "core/doctor/probes.hpp"

namespace convoy::doctor {
namespace {

const std::string kDevices = "sys/bus/pci/devices/";

struct Gpu {
  std::string address;
  std::string vendor;  // "0x10de"
  std::string driver;  // empty: none
};

// PCI class 0x0300 is a VGA controller, 0x0302 a 3D controller.
std::vector<Gpu> find_gpus(const SystemRoot& root) {
  std::vector<Gpu> gpus;
  for (const std::string& address : root.names(kDevices)) {
    const std::string kind = root.text(kDevices + address + "/class").value_or("");
    if (!kind.starts_with("0x0300") && !kind.starts_with("0x0302")) continue;
    gpus.push_back({address, root.text(kDevices + address + "/vendor").value_or(""),
                    root.link_name(kDevices + address + "/driver").value_or("")});
  }
  return gpus;
}

bool is_nvidia(const Gpu& gpu) {
  return gpu.vendor == "0x10de";
}

Finding bound_driver(const SystemRoot& root, const Gpu& gpu) {
  const std::string device = root.text(kDevices + gpu.address + "/device").value_or("unknown");
  const std::string subject = "GPU " + gpu.address;
  const std::string text = fmt::format("PCI id {}:{}, driver {}", gpu.vendor, device,
                                       gpu.driver.empty() ? "none" : gpu.driver);
  if (!is_nvidia(gpu)) return {subject, Health::kOk, text + ", not an NVIDIA GPU: not used", ""};
  if (gpu.driver == "nvidia") return {subject, Health::kOk, text, ""};
  if (gpu.driver == "vfio-pci")
    return {subject, Health::kWarn, text, "it is given to a virtual machine: look there"};
  return {subject, Health::kWarn, text,
          "install NVIDIA's driver (Debian: nvidia-driver, from non-free) and restart"};
}

// Compares the link's width with what card and slot support. A GPU's link speed is lower while it
// is idle, so only the width is compared.
Finding link_width(const SystemRoot& root, const Gpu& gpu) {
  const std::string subject = "PCIe of " + gpu.address;
  const std::string folder = kDevices + gpu.address;
  const auto width = root.number(folder + "/current_link_width");
  const auto most = root.number(folder + "/max_link_width");
  if (!width || !most || *width <= 0 || *most <= 0 || *most > 32 || *width > 32)
    return {subject, Health::kUnknown, "its link cannot be seen (usual in virtual machines)", ""};
  std::string text = fmt::format("{} of {} lanes", *width, *most);
  if (const auto speed = root.text(folder + "/max_link_speed")) text += ", up to " + *speed;
  if (*width == *most) return {subject, Health::kOk, text, ""};
  return {subject, Health::kWarn, text,
          fmt::format("copies take {:.1f} times as long: reseat the card, and check the risers and "
                      "whether the slot has all lanes (lspci -vv, LnkSta)",
                      static_cast<double>(*most) / static_cast<double>(*width))};
}

// The first line looks like "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19
// ...".
std::string driver_version(const std::string& text) {
  for (const std::string& word : words_of(lines_of(text).front()))
    if (leading_number(word) && word.find('.') != std::string::npos) return word;
  return {};
}

void kernel_driver(const SystemRoot& root, bool expected, Findings& findings) {
  constexpr const char* kSubject = "NVIDIA kernel driver";
  const auto text = root.text("proc/driver/nvidia/version");
  if (text && !text->empty()) {
    const std::string version = driver_version(*text);
    return findings.push_back({kSubject, version.empty() ? Health::kUnknown : Health::kOk,
                               version.empty() ? "loaded, version unknown" : version, ""});
  }
  if (expected)
    return findings.push_back({kSubject, Health::kWarn, "not loaded although there are GPUs",
                               "modprobe nvidia; in a container: docker run --gpus all"});
  if (!root.exists("proc/sys") || !root.exists("sys/bus/pci"))
    return findings.push_back({kSubject, Health::kUnknown,
                               "not seen; it cannot be seen whether there are GPUs, either", ""});
  findings.push_back({kSubject, Health::kOk, "not loaded, no NVIDIA GPU needs it", ""});
}

}  // namespace

std::size_t nvidia_gpu_count(const SystemRoot& root) {
  std::size_t count = 0;
  for (const Gpu& gpu : find_gpus(root)) count += is_nvidia(gpu) ? 1 : 0;
  return count;
}

void probe_graphics(const SystemRoot& root, Findings& findings) {
  if (!root.exists("sys/bus/pci/devices"))
    findings.push_back({"GPUs", Health::kUnknown, "the PCI bus cannot be seen below /sys", ""});
  const std::vector<Gpu> gpus = find_gpus(root);
  if (gpus.empty() && root.exists("sys/bus/pci/devices"))
    findings.push_back(
        {"GPUs", Health::kOk, "none on the PCI bus: training runs on CPU devices", ""});
  for (const Gpu& gpu : gpus) {
    findings.push_back(bound_driver(root, gpu));
    if (is_nvidia(gpu)) findings.push_back(link_width(root, gpu));
  }
  kernel_driver(root, nvidia_gpu_count(root) > 0, findings);
}

}  // namespace convoy::doctor
