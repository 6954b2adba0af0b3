#include "topology/write/hwloc_matrix_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace convoy::topology {
namespace {

constexpr std::uint64_t kSelf = 1000000;  // hwloc's value for an object and itself

std::uint64_t megabytes(const Fact<double>& rate) {
  return static_cast<std::uint64_t>(std::clamp(rate.value_or(0) / 1e6, 0.0, 1e9));
}

struct Matrix {
  std::vector<std::size_t> ends;
  std::vector<std::uint64_t> values;

  std::uint64_t& at(std::size_t row, std::size_t column) {
    return values[row * ends.size() + column];
  }
};

Matrix nvlink_matrix(const Machine& machine, const HwlocNumbers& numbers) {
  Matrix matrix;
  std::map<std::size_t, std::size_t> place;
  std::vector<const Link*> links;
  for (const Link& link : machine.links) {
    if (link.kind != LinkKind::nvlink) continue;
    if (!numbers.contains(link.a) || !numbers.contains(link.b)) continue;
    links.push_back(&link);
    for (const std::size_t node : {link.a, link.b})
      if (place.try_emplace(node, matrix.ends.size()).second) matrix.ends.push_back(node);
  }
  matrix.values.resize(matrix.ends.size() * matrix.ends.size());
  for (std::size_t i = 0; i < matrix.ends.size(); ++i) matrix.at(i, i) = kSelf;
  for (const Link* link : links) {
    matrix.at(place.at(link->a), place.at(link->b)) += megabytes(link->a_to_b);
    matrix.at(place.at(link->b), place.at(link->a)) += megabytes(link->b_to_a);
  }
  return matrix;
}

void append_list(pugi::xml_node matrix, const char* element, const std::string& text) {
  pugi::xml_node child = matrix.append_child(element);
  child.append_attribute("length") = static_cast<unsigned long long>(text.size());
  child.text() = text.c_str();
}

}  // namespace

void write_hwloc_nvlink(pugi::xml_node topology, const Machine& machine,
                        const HwlocNumbers& numbers) {
  const Matrix matrix = nvlink_matrix(machine, numbers);
  if (matrix.ends.empty()) return;
  std::vector<std::string> indexes;
  for (const std::size_t node : matrix.ends) indexes.push_back(numbers.name(node));
  pugi::xml_node element = topology.append_child("distances2hetero");
  element.append_attribute("nbobjs") = static_cast<unsigned long long>(matrix.ends.size());
  element.append_attribute("kind") = "9";  // from the operating system, a bandwidth
  element.append_attribute("name") = "NVLinkBandwidth";
  append_list(element, "indexes", fmt::format("{} ", fmt::join(indexes, " ")));
  append_list(element, "u64values", fmt::format("{} ", fmt::join(matrix.values, " ")));
}

}  // namespace convoy::topology
