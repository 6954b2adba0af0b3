#include "tests/simulate/studied_constants.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace convoy::testing {
namespace {

using simulate::MachineConstants;
using simulate::SimulatedDevice;
using simulate::SimulatedHost;
using simulate::SoftwareProfile;

StudiedConstant of_software(const std::string& name, double SoftwareProfile::*member) {
  return {name,
          [member](Foresight& foresight, double factor) { foresight.software.*member *= factor; }};
}

// Adjustments add up.
void also(Foresight& foresight, const std::function<void(MachineConstants&)>& adjust) {
  foresight.adjust_constants = [before = foresight.adjust_constants, adjust](MachineConstants& it) {
    if (before) before(it);
    adjust(it);
  };
}

StudiedConstant of_host(const std::string& name, double SimulatedHost::*member) {
  return {name, [member](Foresight& foresight, double factor) {
            also(foresight, [=](MachineConstants& it) {
              for (SimulatedHost& host : it.hosts) host.*member *= factor;
            });
          }};
}

StudiedConstant of_device(const std::string& name, double SimulatedDevice::*member) {
  return {name, [member](Foresight& foresight, double factor) {
            also(foresight, [=](MachineConstants& it) {
              for (SimulatedDevice& device : it.devices) device.*member *= factor;
            });
          }};
}

StudiedConstant board_loss() {
  return {"loss of rate when both dies of a board work", [](Foresight& foresight, double factor) {
            also(foresight, [factor](MachineConstants& it) {
              for (SimulatedDevice& device : it.devices)
                device.board_rates.back() = 1 - factor * (1 - device.board_rates.back());
            });
          }};
}

using IsMeant = std::function<bool(const topology::Machine&, const topology::Link&)>;

// Rates of links that machines from files whose names contain `file` have.
StudiedConstant links(const std::string& name, const std::string& file, const IsMeant& is_meant) {
  return {name, [file, is_meant](Foresight& foresight, double factor) {
            const auto adjust = [=, before = foresight.adjust_platform](topology::Platform& it) {
              if (before) before(it);
              if (it.machine.source.find(file) == std::string::npos) return;
              for (topology::Link& link : it.machine.links) {
                if (!is_meant(it.machine, link)) continue;
                for (topology::Fact<double>* rate : {&link.a_to_b, &link.b_to_a})
                  if (rate->known()) *rate->value *= factor;
              }
            };
            foresight.adjust_platform = adjust;
          }};
}

bool is_uplink(const topology::Machine& machine, const topology::Link& link) {
  const auto is_bridge = [&](std::size_t node) {
    return machine.nodes[node].kind == topology::NodeKind::host_bridge;
  };
  return link.kind == topology::LinkKind::internal && is_bridge(link.a) != is_bridge(link.b);
}

bool is_socket(const topology::Machine&, const topology::Link& link) {
  return link.kind == topology::LinkKind::socket;
}

}  // namespace

const std::vector<StudiedConstant>& studied_constants() {
  static const std::vector<StudiedConstant> kList = {
      links(kBridgesOfGce, "gce", is_uplink),
      links("host bridge to processor, EC2", "ec2", is_uplink),
      links("socket to socket", "", is_socket),
      of_software("fetch_disorder", &SoftwareProfile::fetch_disorder),
      of_software("copy_seconds", &SoftwareProfile::copy_seconds),
      of_software("add_bytes_per_second", &SoftwareProfile::add_bytes_per_second),
      of_software("extra_sum_traffic", &SoftwareProfile::extra_sum_traffic),
      of_software("straggler_sigma", &SoftwareProfile::straggler_sigma),
      of_software("input_pass_bytes_per_second", &SoftwareProfile::input_pass_bytes_per_second),
      of_software("decoding_collective_seconds", &SoftwareProfile::decoding_collective_seconds),
      of_software("rpc_bytes_per_second", &SoftwareProfile::rpc_bytes_per_second),
      of_software("rpc_seconds", &SoftwareProfile::rpc_seconds),
      of_software("network_progress", &SoftwareProfile::network_progress),
      of_host("pcie_efficiency", &SimulatedHost::pcie_efficiency),
      of_host("decoded_images_per_core", &SimulatedHost::decoded_images_per_core),
      of_device("collective_progress", &SimulatedDevice::collective_progress),
      of_device("collective_tax", &SimulatedDevice::collective_tax),
      board_loss(),
      of_device("gain_3x3", &SimulatedDevice::gain_3x3)};
  return kList;
}

const StudiedConstant& studied_constant(const std::string& name) {
  const auto& list = studied_constants();
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& it) { return it.name == name; });
  CONVOY_CHECK(found != list.end());
  return *found;
}

}  // namespace convoy::testing
