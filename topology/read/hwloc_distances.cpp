#include "topology/read/hwloc_distances.hpp"

#include <fmt/format.h>

#include <array>
#include <sstream>

#include "core/base/error.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/read/nvlink.hpp"

namespace convoy::topology {
namespace {

constexpr std::size_t kMostEnds = 1100;  // 1,000 GPUs and their switches
// Up to this version, hwloc doubles NVLink 3 and 4 (open-mpi/hwloc issue 574).
constexpr std::array<unsigned, 3> kLastDoubled = {2, 9, 0};
constexpr double kMegabyte = 1e6;  // hwloc's matrices are in MB/s

std::vector<std::string> words(const pugi::xml_node& matrix, const char* element) {
  std::vector<std::string> result;
  for (const pugi::xml_node& child : matrix.children(element)) {
    std::istringstream text(child.child_value());
    std::string word;
    while (text >> word) result.push_back(word);
  }
  return result;
}

bool is_bandwidth(std::string_view name) {
  return name == "NVLinkBandwidth" || name == "XGMIBandwidth" || name == "XeLinkBandwidth";
}

class MatrixReader {
 public:
  MatrixReader(Machine& machine, const XmlDocument& document, const HwlocObjects& objects)
      : machine_(machine), document_(document), objects_(objects) {}

  void read(const pugi::xml_node& matrix, bool doubled) {
    const auto ends = parse_unsigned(matrix.attribute("nbobjs").value());
    std::vector<std::string> indexes = words(matrix, "indexes");
    const std::vector<std::string> values = words(matrix, "u64values");
    if (!ends || *ends > kMostEnds || indexes.size() != *ends || values.size() != *ends * *ends)
      fail(ExitCode::kUsage,
           "{}: matrix {} says {} objects but holds {} and {} values; write the file again with "
           "lstopo",
           document_.where(matrix), matrix.attribute("name").value(),
           matrix.attribute("nbobjs").value(), indexes.size(), values.size());
    const std::string type = matrix.attribute("type").value();
    if (!type.empty())
      for (std::string& index : indexes) index = fmt::format("{}:{}", type, index);
    append_nvlinks(machine_, known_part(matrix, indexes, values), doubled);
  }

 private:
  std::optional<std::size_t> node_of(const std::string& object) {
    const auto known = objects_.numbers().find(object);
    if (known != objects_.numbers().end()) return known->second;
    if (!objects_.is_nvswitch(object)) return {};
    if (!placeholder_) {
      placeholder_ = append_node(machine_, NodeKind::nvswitch, "nvswitch", {});
    }
    return placeholder_;
  }

  // Drops the objects that no node of the machine stands for.
  NvlinkMatrix known_part(const pugi::xml_node& matrix, const std::vector<std::string>& indexes,
                          const std::vector<std::string>& values) {
    NvlinkMatrix result;
    result.source = fmt::format("{} {}", machine_.source, matrix.attribute("name").value());
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < indexes.size(); ++i)
      if (const auto node = node_of(indexes[i])) {
        kept.push_back(i);
        result.ends.push_back(*node);
      }
    if (kept.size() < indexes.size())
      machine_.notes.push_back(fmt::format("{} names {} objects that the file does not hold",
                                           matrix.attribute("name").value(),
                                           indexes.size() - kept.size()));
    for (const std::size_t row : kept) {
      result.rates.emplace_back();
      for (const std::size_t column : kept)
        result.rates.back().push_back(
            rate(matrix, row == column ? "0" : values[row * indexes.size() + column]));
    }
    return result;
  }

  double rate(const pugi::xml_node& matrix, const std::string& text) const {
    const auto value = parse_unsigned(text);
    if (!value)
      fail(ExitCode::kUsage, "{}: '{}' is not a bandwidth; write the file again with lstopo",
           document_.where(matrix), text);
    return static_cast<double>(*value) * kMegabyte;
  }

  Machine& machine_;
  const XmlDocument& document_;
  const HwlocObjects& objects_;
  std::optional<std::size_t> placeholder_;
};

}  // namespace

void read_hwloc_distances(Machine& machine, const XmlDocument& document,
                          const HwlocObjects& objects) {
  const auto version = hwloc_version(document);
  const bool doubled = version && *version <= kLastDoubled;
  bool read = false;
  for (const pugi::xml_node& matrix : document.root().children()) {
    const std::string_view element = matrix.name();
    if (element != "distances2" && element != "distances2hetero") continue;
    if (!is_bandwidth(matrix.attribute("name").value())) continue;
    if (read) {
      machine.notes.push_back(
          fmt::format("a second matrix, {}, is left out", matrix.attribute("name").value()));
      continue;
    }
    MatrixReader(machine, document, objects).read(matrix, doubled);
    read = true;
  }
}

}  // namespace convoy::topology
