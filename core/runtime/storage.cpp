#include "core/runtime/storage.hpp"

#include <algorithm>
#include <optional>

#include "core/graph/layout.hpp"
#include "core/runtime/compute_dtype.hpp"

namespace convoy {

convoy_compilation compilation_of(const GraphView& view, const SessionOptions& options,
                                  bool forward_only, std::uint32_t replica,
                                  std::uint32_t replicas) {
  convoy_compilation what{};
  what.struct_size = sizeof(what);
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

Arena choose_storage(const Graph& graph, const OpenDevices& devices, const SessionOptions& options,
                     bool forward_only) {
  const Cluster& cluster = devices.cluster();
  const Arena plain(graph);
  const GraphView view(graph, plain);
  SessionOptions typed = options;
  typed.dtype = choose_compute_dtype(options.dtype, devices.descriptions());
  std::optional<std::vector<convoy_layout>> common;
  for (std::uint32_t replica = 0; replica < cluster.replicas(); ++replica) {
    OpenDevice* device = devices.engines()[cluster.replica_place[replica]];
    std::vector<convoy_layout> proposed = device->propose_layout(
        compilation_of(view, typed, forward_only, replica, cluster.replicas()));
    if (common &&
        !std::equal(common->begin(), common->end(), proposed.begin(), proposed.end(), same_layout))
      return Arena(graph);
    common = std::move(proposed);
  }
  return common ? Arena(graph, std::move(*common)) : Arena(graph);
}

}  // namespace convoy
