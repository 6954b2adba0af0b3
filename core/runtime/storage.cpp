#include "core/runtime/storage.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/process/in_parallel.hpp"
#include "core/graph/layout.hpp"
#include "core/runtime/compute_dtype.hpp"

namespace convoy::runtime {
namespace {

using Layouts = std::vector<convoy_layout>;

bool same_layouts(const Layouts& a, const Layouts& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), graph::same_layout);
}

// Adds the proposal of one more device or host. Returns whether all agree so far.
bool agree(std::optional<Layouts>& common, Layouts proposed) {
  if (common && !same_layouts(*common, proposed)) return false;
  common = std::move(proposed);
  return true;
}

std::string_view bytes_of(const Layouts& layouts) {
  return {reinterpret_cast<const char*>(layouts.data()), layouts.size() * sizeof(convoy_layout)};
}

// Returns the layouts in a message. Empty if they do not fit the graph, as those of another version
// would not.
std::optional<Layouts> layouts_from(const std::string& bytes, const graph::Graph& graph) {
  const std::vector<graph::GraphVariable>& variables = graph.variables();
  if (bytes.size() != variables.size() * sizeof(convoy_layout)) return std::nullopt;
  Layouts layouts(variables.size());
  std::memcpy(layouts.data(), bytes.data(), bytes.size());
  for (std::size_t i = 0; i < layouts.size(); ++i)
    if (!graph::layout_problem(layouts[i], variables[i].dimensions).empty()) return std::nullopt;
  return layouts;
}

// Compares proposals with all hosts. A host without replicas sends an empty proposal, a host whose
// devices differ a single byte.
bool agree_with_peers(Peers& peers, const graph::Graph& graph, bool agreed,
                      std::optional<Layouts>& common) {
  const std::string_view own = !agreed ? "?" : common ? bytes_of(*common) : std::string_view();
  for (const std::string& bytes : peers.exchange(own)) {
    if (bytes.empty()) continue;
    std::optional<Layouts> theirs = layouts_from(bytes, graph);
    agreed = agreed && theirs && agree(common, std::move(*theirs));
  }
  return agreed;
}

}  // namespace

convoy_compilation compilation_of(const graph::GraphView& view, const SessionOptions& options,
                                  bool forward_only, std::uint32_t replica,
                                  std::uint32_t replicas) {
  auto what = make_sized<convoy_compilation>();
  what.graph = view.c_graph();
  what.batch = options.batch;
  what.flags = (options.dropout ? std::uint32_t{CONVOY_COMPILE_DROPOUT} : 0u) |
               (options.winograd ? 0u : std::uint32_t{CONVOY_COMPILE_DIRECT_CONVOLUTIONS}) |
               (options.accuracy ? std::uint32_t{CONVOY_COMPILE_ACCURACY} : 0u) |
               (options.profile ? std::uint32_t{CONVOY_COMPILE_PROFILE} : 0u) |
               (forward_only ? std::uint32_t{CONVOY_COMPILE_INFERENCE} : 0u);
  what.replica = replica;
  what.replicas = replicas;
  what.seed = options.seed;
  what.dtype = options.dtype;
  return what;
}

graph::Arena choose_storage(const graph::Graph& graph, const StorageUsers& users,
                            const SessionOptions& options, bool forward_only) {
  const plan::Cluster& cluster = users.cluster;
  const graph::Arena plain(graph);
  const graph::GraphView view(graph, plain);
  SessionOptions typed = options;
  typed.dtype = choose_compute_dtype(options.dtype, users.descriptions);
  std::vector<std::optional<Layouts>> proposed(cluster.replicas());
  in_parallel(proposed.size(), [&](std::size_t i) {
    const auto replica = static_cast<std::uint32_t>(i);
    plugin::OpenDevice* device = users.engines[cluster.replica_place[replica]];
    if (device == nullptr) return;
    proposed[i] = device->propose_layout(
        compilation_of(view, typed, forward_only, replica, cluster.replicas()));
  });
  std::optional<Layouts> common;
  bool agreed = true;
  for (std::optional<Layouts>& one : proposed)
    if (one) agreed = agreed && agree(common, std::move(*one));
  if (users.peers != nullptr) agreed = agree_with_peers(*users.peers, graph, agreed, common);
  return agreed && common ? graph::Arena(graph, std::move(*common)) : graph::Arena(graph);
}

graph::Arena choose_storage(const graph::Graph& graph, const OpenDevices& devices,
                            const SessionOptions& options, bool forward_only) {
  return choose_storage(graph, {devices.cluster(), devices.engines(), devices.descriptions()},
                        options, forward_only);
}

}  // namespace convoy::runtime
