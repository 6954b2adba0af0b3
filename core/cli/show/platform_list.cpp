#include "core/cli/show/platform_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "topology/catalogue/platform.hpp"

namespace convoy::cli {
namespace {

struct ListedPlatform {
  std::string name;
  std::uint32_t gpus = 0;  // GPUs of one host
  std::string gpu;         // the model of the first GPU
  std::string source;
  std::string problem;  // why the file is not usable
};

ListedPlatform listed(const std::filesystem::path& folder, const std::string& name,
                      const topology::Catalogue& catalogue) {
  ListedPlatform row;
  row.name = name;
  try {
    const topology::Platform platform = topology::read_platform(folder, name, 1, catalogue);
    row.gpus = platform.gpus_per_host;
    row.source = platform.source;
    const auto gpu =
        std::ranges::find(platform.machine.nodes, topology::NodeKind::gpu, &topology::Node::kind);
    if (gpu != platform.machine.nodes.end()) row.gpu = gpu->model;
  } catch (const Error& error) {
    row.problem = error.what();
  }
  return row;
}

std::vector<ListedPlatform> listed_platforms(const std::filesystem::path& share) {
  const auto catalogue = topology::Catalogue::read(share / "catalogue");
  std::vector<ListedPlatform> rows;
  for (const std::string& name : topology::platform_names(share / "platforms"))
    rows.push_back(listed(share / "platforms", name, catalogue));
  return rows;
}

}  // namespace

void print_platforms(const std::filesystem::path& share, std::ostream& out) {
  const std::vector<ListedPlatform> rows = listed_platforms(share);
  std::size_t name = 8;
  for (const ListedPlatform& row : rows) name = std::max(name, row.name.size());
  out << fmt::format("{:<{}}  GPUS  GPU\n", "PLATFORM", name);
  for (const ListedPlatform& row : rows) {
    if (row.problem.empty())
      out << fmt::format("{:<{}}  {:>4}  {}\n", row.name, name, row.gpus, row.gpu);
    else
      out << fmt::format("{:<{}}  not usable: {}\n", row.name, name, row.problem);
  }
  out << fmt::format(
      "\nGPUS are those of one host; --platform of simulate, compare, plan, check and topo takes "
      "these names;\nthe files are in {}\n",
      (share / "platforms").string());
}

nlohmann::ordered_json platforms_json(const std::filesystem::path& share) {
  nlohmann::ordered_json document = {{"platforms", nlohmann::ordered_json::array()}};
  for (const ListedPlatform& row : listed_platforms(share)) {
    nlohmann::ordered_json entry = {{"name", row.name}};
    if (row.problem.empty())
      entry.update({{"gpus", row.gpus}, {"gpu", row.gpu}, {"source", row.source}});
    else
      entry["problem"] = row.problem;
    document["platforms"].push_back(std::move(entry));
  }
  return document;
}

}  // namespace convoy::cli
