#include "tests/topology/machine_texts.hpp"

#include <fmt/format.h>

#include <vector>

namespace convoy::topology {
namespace {

std::string document(const std::string& version, const std::string& machine,
                     const std::string& after) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
      "<topology version=\"{}\">\n  <object type=\"Machine\" os_index=\"0\" cpuset=\"0x0000000f\" "
      "gp_index=\"1\">\n{}  </object>\n{}  <support name=\"discovery.pu\"/>\n{}</topology>\n",
      version, machine, after,
      version.starts_with("3") ? "  <info name=\"Backend\" value=\"Linux\"/>\n" : "");
}

std::string package(unsigned number, const std::string& devices) {
  const unsigned first = 1U << 2 * number;
  const unsigned second = 2U << 2 * number;
  return fmt::format(
      "<object type=\"Package\" os_index=\"{0}\" cpuset=\"0x{1:08x}\" gp_index=\"{2}\">\n"
      "<info name=\"CPUModel\" value=\"a processor\"/>\n"
      "<object type=\"NUMANode\" os_index=\"{0}\" cpuset=\"0x{1:08x}\" gp_index=\"{3}\" "
      "local_memory=\"810234351616\"/>\n"
      "<object type=\"Core\" cpuset=\"0x{4:08x}\"><object type=\"PU\" cpuset=\"0x{4:08x}\"/>"
      "</object>\n<object type=\"Core\" cpuset=\"0x{5:08x}\"/>\n{6}</object>\n",
      number, first | second, 10 + number, 20 + number, first, second, devices);
}

unsigned next_bus = 0;

std::string host_bridge(const std::string& below) {
  return fmt::format("<object type=\"Bridge\" bridge_type=\"0-1\" depth=\"0\">\n{}</object>\n",
                     below);
}

std::string port(const char* id, double speed, const std::string& below) {
  ++next_bus;
  return fmt::format(
      "<object type=\"Bridge\" bridge_type=\"1-1\" pci_busid=\"0000:{:02x}:1f.0\" "
      "pci_type=\"0604 [{}] [0000:0000] 00\" pci_link_speed=\"{:.6f}\">\n{}</object>\n",
      next_bus % 256, id, speed, below);
}

std::string gpu(unsigned number, const char* id, double speed, bool is_v3) {
  return fmt::format(
      "<object type=\"PCIDev\" gp_index=\"{0}\" pci_busid=\"{1:04x}:{2:02x}:00.0\" "
      "pci_type=\"0302 [{3}] [10de:131d] a1\" pci_link_speed=\"{4:.6f}\">\n"
      "<object type=\"OSDev\" gp_index=\"{5}\" name=\"nvml{6}\" osdev_type=\"{7}\">"
      "<info name=\"GPUModel\" value=\"a GPU &amp; more\"/></object>\n</object>\n",
      100 + number, number / 200, 0x30 + number % 200, id, speed, 2000 + number, number,
      is_v3 ? 12 : 1);
}

std::string nvswitch(unsigned number) {
  const bool hidden = number == 5;  // as one of a DGX-2H is
  return fmt::format(
      "<object type=\"PCIDev\" gp_index=\"{}\" subtype=\"NVSwitch\" pci_busid=\"0000:{:02x}:00.0\" "
      "pci_type=\"{}\" pci_link_speed=\"1.000000\"/>\n",
      500 + number, 0x60 + number,
      hidden ? "0000 [0000:0000] [0000:0000] 00" : "0680 [10de:1ac2] [0000:0000] a1");
}

std::string matrix(const std::vector<std::string>& ends,
                   const std::vector<std::vector<unsigned>>& rates) {
  std::string indexes;
  std::string values;
  for (const std::string& end : ends) indexes += end + " ";
  for (const auto& row : rates) {
    values += "<u64values length=\"1\">";
    for (const unsigned rate : row) values += fmt::format("{} ", rate);
    values += "</u64values>\n";
  }
  return fmt::format(
      "<distances2hetero nbobjs=\"{}\" kind=\"9\" name=\"NVLinkBandwidth\">\n"
      "<indexes length=\"1\">{}</indexes>\n{}</distances2hetero>\n",
      ends.size(), indexes, values);
}

// Root port, switch, second-level switches of two GPUs each.
std::string dgx2_branch(unsigned first_gpu, bool is_v3, const std::string& switches) {
  constexpr double kFull = 15.753846;
  std::string below;
  for (unsigned pair = 0; pair < 2; ++pair) {
    std::string gpus;
    for (unsigned i = 0; i < 2; ++i)
      gpus += port("10b5:9781", kFull, gpu(first_gpu + 2 * pair + i, "10de:1db8", kFull, is_v3));
    below += port("10b5:9781", kFull, port("10b5:9781", kFull, gpus));
  }
  if (!switches.empty())
    below += port("10b5:9781", 3.938462, port("10b5:8725", 3.938462, switches));
  return host_bridge(port("8086:2030", kFull, port("10b5:9781", kFull, below)));
}

}  // namespace

std::string dgx2_xml(const std::string& version) {
  const bool is_v3 = version.starts_with("3");
  std::string packages;
  for (unsigned number = 0; number < 2; ++number) {
    std::string switches;
    for (unsigned i = 0; i < 6; ++i) switches += port("10b5:8725", 1.0, nvswitch(6 * number + i));
    packages += package(
        number, dgx2_branch(8 * number, is_v3, "") + dgx2_branch(8 * number + 4, is_v3, switches));
  }
  std::vector<std::string> ends;
  for (unsigned i = 0; i < 16; ++i) ends.push_back(fmt::format("OSDev:{}", 2000 + i));
  for (unsigned i = 0; i < 12; ++i) ends.push_back(fmt::format("PCIDev:{}", 500 + i));
  std::vector<std::vector<unsigned>> rates(28, std::vector<unsigned>(28, 0));
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned j = 0; j < 6; ++j) {
      const unsigned to = 16 + 6 * (i / 8) + j;
      rates[i][to] = rates[to][i] = 25000;
    }
  for (unsigned i = 0; i < 28; ++i) rates[i][i] = 1000000;
  return document(version, packages, matrix(ends, rates));
}

std::string power8_xml(const std::string& version) {
  const bool is_v3 = version.starts_with("3");
  std::string packages;
  for (unsigned number = 0; number < 2; ++number) {
    std::string devices;
    for (unsigned i = 0; i < 2; ++i)
      devices += host_bridge(
          port("1014:03dc", 7.876923, gpu(2 * number + i, "10de:15f9", 15.753846, is_v3)));
    packages += package(number, devices);
  }
  const std::vector<std::vector<unsigned>> rates = {
      {1000000, 40000, 0, 0, 40000, 0}, {40000, 1000000, 0, 0, 40000, 0},
      {0, 0, 1000000, 40000, 0, 40000}, {0, 0, 40000, 1000000, 0, 40000},
      {40000, 40000, 0, 0, 1000000, 0}, {0, 0, 40000, 40000, 0, 1000000}};
  return document(
      version, packages,
      matrix({"OSDev:2000", "OSDev:2001", "OSDev:2002", "OSDev:2003", "Package:10", "Package:11"},
             rates));
}

std::string flat_bus_xml(unsigned gpus) {
  std::string devices;
  for (unsigned i = 0; i < gpus; ++i) devices += gpu(i, "10de:1db1", 0, false);
  return document("2.0",
                  "<info name=\"DMIProductName\" value=\"Google Compute Engine\"/>\n" +
                      package(0, "") + host_bridge(devices),
                  "");
}

std::string plain_xml(const std::string& version) {
  const std::string card =
      "<object type=\"PCIDev\" gp_index=\"90\" pci_busid=\"0000:00:03.0\" "
      "pci_type=\"0200 [1af4:1041] [1af4:1041] 01\" pci_link_speed=\"0.000000\">"
      "<object type=\"OSDev\" name=\"eth0\" osdev_type=\"2\"/></object>\n";
  return document(version, package(0, host_bridge(card)), "");
}

std::string rdma_card_xml(const std::string& version) {
  const bool is_v3 = version.starts_with("3");
  const std::string card = fmt::format(
      "<object type=\"PCIDev\" gp_index=\"90\" pci_busid=\"0000:0c:00.0\" "
      "pci_type=\"0207 [15b3:1013] [15b3:0000] 00\" pci_link_speed=\"15.753846\">"
      "<object type=\"OSDev\" gp_index=\"91\" name=\"ibp12s0\" osdev_type=\"{}\"/>"
      "<object type=\"OSDev\" gp_index=\"92\" name=\"mlx5_0\" osdev_type=\"{}\"/></object>\n",
      is_v3 ? 16 : 2, is_v3 ? 32 : 3);
  return document(version, package(0, host_bridge(card)), "");
}

std::string port_and_gpu_xml(const std::string& hwloc, double port_speed, double gpu_speed) {
  return document("2.0",
                  fmt::format("<info name=\"hwlocVersion\" value=\"{}\"/>\n", hwloc) +
                      package(0, host_bridge(port("8086:347a", port_speed,
                                                  gpu(0, "10de:20b0", gpu_speed, false)))),
                  "");
}

std::string a100_pair_xml(const std::string& hwloc, unsigned megabytes) {
  return document("2.0",
                  fmt::format("<info name=\"hwlocVersion\" value=\"{}\"/>\n", hwloc) +
                      package(0, host_bridge(gpu(0, "10de:20b0", 31.5, false)) +
                                     host_bridge(gpu(1, "10de:20b0", 31.5, false))),
                  matrix({"OSDev:2000", "OSDev:2001"}, {{0, megabytes}, {megabytes, 0}}));
}

}  // namespace convoy::topology
