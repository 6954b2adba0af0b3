#include <fmt/format.h>

#include "core/doctor/probes.hpp"

namespace convoy::doctor {

// The file "state" reads "4: ACTIVE", and "rate" reads "100 Gb/sec (4X EDR)".
void probe_network(const SystemRoot& root, Findings& findings) {
  const std::string adapters = "sys/class/infiniband";
  bool any = false;
  for (const std::string& adapter : root.names(adapters)) {
    const std::string ports = fmt::format("{}/{}/ports", adapters, adapter);
    for (const std::string& port : root.names(ports)) {
      const std::string folder = fmt::format("{}/{}", ports, port);
      const std::string state = root.text(folder + "/state").value_or("state unknown");
      const std::string rate = root.text(folder + "/rate").value_or("rate unknown");
      const std::string subject = fmt::format("InfiniBand {} port {}", adapter, port);
      const bool active = state.find("ACTIVE") != std::string::npos;
      findings.push_back({subject, active ? Health::kOk : Health::kWarn,
                          fmt::format("{}, {}", state, rate),
                          active ? "" : "check the cable and the subnet manager: ibstat"});
      any = true;
    }
  }
  if (any) return;
  if (root.exists("sys/class"))
    findings.push_back({"InfiniBand", Health::kOk, "none (one host does not need it)", ""});
  else
    findings.push_back({"InfiniBand", Health::kUnknown, "/sys is not mounted", ""});
}

}  // namespace convoy::doctor
