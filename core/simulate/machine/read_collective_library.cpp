#include "core/simulate/machine/read_collective_library.hpp"

#include <fmt/format.h>

#include <limits>

#include "topology/read/described_file.hpp"

namespace convoy::simulate {
namespace {

using topology::DescribedObject;

double positive(DescribedObject& object, const char* key) {
  const double value = *object.constant(key).value;
  if (value <= 0) object.reject(key, "must be more than 0");
  return value;
}

std::vector<double> list(DescribedObject& object, const char* key) {
  DescribedObject inner = object.object(key);
  std::vector<double> values = inner.numbers("values");
  if (inner.text("source").empty()) inner.reject("source", "must say where the values come from");
  inner.finish();
  return values;
}

// Reads values for one host, two hosts, and more hosts.
std::array<double, 3> by_hosts(DescribedObject& object, const char* key) {
  const std::vector<double> values = list(object, key);
  if (values.size() != 3)
    object.reject(key, fmt::format("has {} values: one host, two hosts, more", values.size()));
  return {values[0], values[1], values[2]};
}

ProtocolCost read_cost(DescribedObject& object) {
  ProtocolCost cost;
  cost.base_seconds = *object.constant("base_seconds").value;
  cost.hop.nvlink = *object.constant("nvlink_hop_seconds").value;
  cost.hop.pcie = *object.constant("pcie_hop_seconds").value;
  cost.hop.network = *object.constant("network_hop_seconds").value;
  cost.share = object.share("share");
  cost.share_between_hosts = object.share("share_between_hosts");
  if (object.has("rate_by_size")) cost.rate_by_size = list(object, "rate_by_size");
  return cost;
}

std::array<ProtocolCost, kProtocols> read_protocols(DescribedObject& object, const char* key) {
  std::array<ProtocolCost, kProtocols> costs;
  std::vector<DescribedObject> objects = object.objects(key);
  if (objects.size() != kProtocols)
    object.reject(key, fmt::format("has {} protocols: LL, LL128 and Simple are needed, in this "
                                   "order",
                                   objects.size()));
  for (std::size_t i = 0; i < kProtocols; ++i) {
    const char* expected = name(static_cast<Protocol>(i));
    if (objects[i].text("protocol") != expected)
      objects[i].reject("protocol", fmt::format("must be {} here", expected));
    costs[i] = read_cost(objects[i]);
    objects[i].finish();
  }
  return costs;
}

std::array<bool, kCollectiveAlgorithms> read_algorithms(DescribedObject& object) {
  std::array<bool, kCollectiveAlgorithms> has{};
  for (const std::string& text : object.texts("algorithms")) {
    std::size_t found = 0;
    while (found < has.size() && text != name(static_cast<CollectiveAlgorithm>(found))) ++found;
    if (found == has.size())
      object.reject(
          "algorithms",
          fmt::format("holds \"{}\": ring, tree, NVLS, rails and SHARP are possible", text));
    has[found] = true;
  }
  if (!has[static_cast<std::size_t>(CollectiveAlgorithm::kRing)])
    object.reject("algorithms", "lacks \"ring\", which every collective needs");
  return has;
}

CollectiveGeneration read_generation(DescribedObject& object) {
  CollectiveGeneration it;
  it.names = object.texts("names");
  if (object.has("library")) {
    it.library = object.text("library");
    it.library_source = object.text("library_source");
  }
  it.direct_reach = object.share("direct_reach");
  it.switched_reach = object.share("switched_reach");
  it.in_switch_reach = object.share("in_switch_reach");
  it.in_switch_channels = *object.constant("in_switch_channels").value;
  it.in_switch_chunk_cost = *object.constant("in_switch_chunk_cost").value;
  it.latency_scale = positive(object, "latency_scale");
  it.slice_seconds = *object.constant("slice_seconds").value;
  it.plateau = positive(object, "plateau");
  it.ll128 = object.flag_or("ll128", false);
  it.ll_limit = by_hosts(object, "ll_limit");
  it.tree_channel_limit = by_hosts(object, "tree_channel_limit");
  it.ring_ll128_channel_limit = *object.constant("ring_ll128_channel_limit").value;
  it.ring_channel_limit = object.has("ring_channel_limit")
                              ? positive(object, "ring_channel_limit")
                              : std::numeric_limits<double>::infinity();
  object.finish();
  return it;
}

}  // namespace

std::shared_ptr<const CollectiveLibrary> read_collective_library(
    const std::filesystem::path& file) {
  const topology::DescribedFile described(file);
  DescribedObject object(described);
  auto library = std::make_shared<CollectiveLibrary>();
  library->name = object.text("name");
  library->source = object.text("source");
  library->has = read_algorithms(object);
  library->launch_seconds = *object.constant("launch_seconds").value;
  library->launch_seconds_per_device = *object.constant("launch_seconds_per_device").value;
  library->full_slice_bytes = positive(object, "full_slice_bytes");
  library->in_switch_rounds = *object.constant("in_switch_rounds").value;
  library->in_switch_least_devices = *object.constant("in_switch_least_devices").value;
  library->in_switch_seconds = *object.constant("in_switch_seconds").value;
  library->in_switch_slice_seconds_per_device =
      *object.constant("in_switch_slice_seconds_per_device").value;
  library->in_switch_network_seconds = *object.constant("in_switch_network_seconds").value;
  library->in_switch_share_between_hosts = object.share("in_switch_share_between_hosts");
  library->staged_reach = object.share("staged_reach");
  library->slice_bytes = *object.constant("slice_bytes").value;
  library->network_reduce_seconds = *object.constant("network_reduce_seconds").value;
  library->network_reduce_reach = object.share("network_reduce_reach");
  library->ring = read_protocols(object, "ring");
  library->tree = read_protocols(object, "tree");
  for (DescribedObject& generation : object.objects("generations"))
    library->generations.push_back(read_generation(generation));
  if (library->generations.empty()) object.reject("generations", "is empty: one is needed");
  object.finish();
  return library;
}

}  // namespace convoy::simulate
