#include <fmt/format.h>

#include "core/base/text/system_text.hpp"
#include "core/doctor/probes.hpp"

namespace convoy::doctor {
namespace {

void operating_system(const SystemRoot& root, Findings& findings) {
  const auto release = value_of(root.text("etc/os-release").value_or(""), "PRETTY_NAME", '=');
  if (release)
    findings.push_back({"operating system", Health::kOk, *release, ""});
  else
    findings.push_back(
        {"operating system", Health::kUnknown, "/etc/os-release does not say its name", ""});
}

void kernel(const SystemRoot& root, Findings& findings) {
  const auto release = root.text("proc/sys/kernel/osrelease");
  if (!release)
    return findings.push_back({"kernel", Health::kUnknown, "/proc is not mounted",
                               "mount it: most of this report comes from there"});
  findings.push_back({"kernel", Health::kOk, "Linux " + *release, ""});
}

void container(const SystemRoot& root, Findings& findings) {
  std::string kind;
  if (root.exists(".dockerenv")) kind = "Docker";
  if (root.exists("run/.containerenv")) kind = "Podman";
  const std::string groups = root.text("proc/1/cgroup").value_or("");
  for (const char* name : {"docker", "kubepods", "containerd", "lxc"})
    if (kind.empty() && groups.find(name) != std::string::npos) kind = name;
  if (!kind.empty())
    return findings.push_back({"container", Health::kOk, fmt::format("yes ({})", kind), ""});
  if (!root.exists("proc/1"))
    return findings.push_back({"container", Health::kUnknown, "/proc/1 cannot be seen", ""});
  findings.push_back({"container", Health::kOk, "none seen", ""});
}

void virtual_machine(const SystemRoot& root, Findings& findings) {
  const auto processors = root.text("proc/cpuinfo");
  if (!processors)
    return findings.push_back(
        {"virtual machine", Health::kUnknown, "/proc/cpuinfo cannot be read", ""});
  const auto flags = value_of(*processors, "flags", ':');
  const bool guest = flags && (" " + *flags + " ").find(" hypervisor ") != std::string::npos;
  std::string name = root.text("sys/class/dmi/id/sys_vendor").value_or("");
  const std::string product = root.text("sys/class/dmi/id/product_name").value_or("");
  if (!product.empty()) name += (name.empty() ? "" : " ") + product;
  if (!guest)
    return findings.push_back(
        {"virtual machine", Health::kOk, name.empty() ? "no" : fmt::format("no ({})", name), ""});
  findings.push_back(
      {"virtual machine", Health::kOk, name.empty() ? "yes" : fmt::format("yes ({})", name), ""});
}

}  // namespace

void probe_system(const SystemRoot& root, Findings& findings) {
  operating_system(root, findings);
  kernel(root, findings);
  container(root, findings);
  virtual_machine(root, findings);
}

}  // namespace convoy::doctor
