#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/graph/machine.hpp"
#include "topology/read/xml_document.hpp"

namespace convoy::topology {

// Walks the objects of an hwloc XML and appends a node for each one that a machine has: packages,
// NUMA nodes, bridges, GPUs, network cards. It remembers the node of each object by type and number
// ("PCIDev:581"), for the distances that come later.
class HwlocObjects {
 public:
  HwlocObjects(Machine& machine, const XmlDocument& document);

  void read(const pugi::xml_node& root_object);

  const std::map<std::string, std::size_t, std::less<>>& numbers() const { return numbers_; }
  // NVSwitches of the PCI tree, which have no nodes of their own.
  bool is_nvswitch(std::string_view object) const { return nvswitches_.contains(object); }

 private:
  // The position of an object in the machine.
  struct Place {
    std::size_t inside = 0;         // host or package
    std::optional<std::size_t> up;  // next node of the PCI tree
    unsigned bridges = 0;  // counted from the host bridge: odd ones are ports that face downwards
    std::optional<double> speed;  // speed of the port above
  };
  struct Memory {
    std::size_t node = 0;
    std::vector<bool> units;
  };

  void visit(const pugi::xml_node& object, Place place);
  void read_package(const pugi::xml_node& object, Place& place);
  void read_memory(const pugi::xml_node& object, const Place& place);
  void read_core(const pugi::xml_node& object, const Place& place);
  void read_bridge(const pugi::xml_node& object, Place& place);
  void read_device(const pugi::xml_node& object, Place& place);
  void read_functions(const pugi::xml_node& object, Node& node);
  std::optional<double> device_speed(const pugi::xml_node& object, const Place& place) const;
  void join_up(std::size_t node, const Place& place, std::optional<double> speed);
  void remember(const pugi::xml_node& object, std::size_t node);
  void finish();
  Fact<std::uint32_t> counted(std::uint32_t cores) const;

  Machine& machine_;
  const XmlDocument& document_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
  std::map<std::string, bool, std::less<>> nvswitches_;
  std::vector<Memory> memories_;
  std::vector<std::size_t> core_units_;               // first logical processor of each core
  std::map<std::size_t, std::uint32_t> core_counts_;  // of hosts and packages
  std::size_t host_ = 0;
  bool understates_gpus_ = false;
};

// Returns the value of <info name=...> below an object, also within <infos>; empty when there is
// none.
std::string_view hwloc_info(const pugi::xml_node& object, std::string_view name);

// Returns the version of the hwloc that wrote the file: {2, 9, 0}; nothing if the file does not
// state it.
std::optional<std::array<unsigned, 3>> hwloc_version(const XmlDocument& document);

// Parses the logical processors of a set such as "0x00000003,,0x00000001"; empty for infinite and
// huge sets.
std::vector<bool> parse_hwloc_set(std::string_view text);

}  // namespace convoy::topology
