#pragma once

#include <string>

namespace convoy::topology {

// XML as lstopo writes it for machines that are not at hand, built from what hwloc's own test files
// of them show: link speeds, ids, the places of the switches, the NVLink matrices.

// 16 V100 and 12 NVSwitches; 4 GPUs below each of 4 root ports. One switch has neither class nor
// id.
std::string dgx2_xml(const std::string& version);
// 4 P100, each below its own root port of half its speed, NVLink in pairs and to the packages.
std::string power8_xml(const std::string& version);
// A cloud's virtual machine: GPUs side by side on one bus, speeds of 0.
std::string flat_bus_xml(unsigned gpus);
// One package, one network card, no GPU.
std::string plain_xml(const std::string& version);
// One package, one InfiniBand card: its network interface first, then its RDMA device.
std::string rdma_card_xml(const std::string& version);
// Two A100 with direct links of 12 bricks in all, as the named hwloc reports them.
std::string a100_pair_xml(const std::string& hwloc, unsigned megabytes);
// An A100 below a root port, with both link speeds in GB/s as the named hwloc reports them.
std::string port_and_gpu_xml(const std::string& hwloc, double port_speed, double gpu_speed);

}  // namespace convoy::topology
