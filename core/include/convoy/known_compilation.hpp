// The structs that a device compiles, copied to the sizes that the device was built with. Part of
// device.hpp.
#ifndef CONVOY_KNOWN_COMPILATION_HPP
#define CONVOY_KNOWN_COMPILATION_HPP

#include <convoy/abi/device.h>
#include <convoy/sized.hpp>

#include <cstdint>
#include <vector>

namespace convoy {

// A compilation and its graph, layers and variables, each with exactly the fields that this plug-in
// knows. The host still owns the arrays and texts in them. Throws UnusableStruct when the host uses
// a field that the plug-in does not know.
class KnownCompilation {
 public:
  explicit KnownCompilation(const convoy_compilation& given)
      : what_(read_sized(given, "convoy_compilation", Side::kPlugin)),
        graph_(read_sized(*given.graph, "convoy_graph", Side::kPlugin)) {
    constexpr std::uint32_t kFlags = 2 * CONVOY_COMPILE_PROFILE - 1;
    require_known((what_.flags & ~kFlags) == 0, "flags of a compilation", what_.flags,
                  Side::kPlugin);
    require_known(what_.reserved == 0, "reserved field of a compilation", what_.reserved,
                  Side::kPlugin);
    take_nodes();
    take_variables();
    what_.graph = &graph_;
  }
  KnownCompilation(const KnownCompilation&) = delete;
  KnownCompilation& operator=(const KnownCompilation&) = delete;

  // Valid as long as this object.
  const convoy_compilation& get() const { return what_; }

 private:
  void take_nodes() {
    const auto count = static_cast<std::size_t>(graph_.node_count);
    layers_.reserve(count);  // nodes point into it
    nodes_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      nodes_.push_back(read_sized(*graph_.nodes[i], "convoy_node", Side::kPlugin));
      layers_.push_back(read_sized(*nodes_.back().layer, "convoy_layer", Side::kPlugin));
      nodes_.back().layer = &layers_.back();
      node_pointers_.push_back(&nodes_.back());
    }
    graph_.nodes = node_pointers_.data();
  }

  void take_variables() {
    const auto count = static_cast<std::size_t>(graph_.variable_count);
    variables_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      variables_.push_back(
          read_sized(*graph_.variables[i], "convoy_graph_variable", Side::kPlugin));
      variable_pointers_.push_back(&variables_.back());
    }
    graph_.variables = variable_pointers_.data();
  }

  convoy_compilation what_;
  convoy_graph graph_;
  std::vector<convoy_layer> layers_;
  std::vector<convoy_node> nodes_;
  std::vector<convoy_graph_variable> variables_;
  std::vector<const convoy_node*> node_pointers_;
  std::vector<const convoy_graph_variable*> variable_pointers_;
};

}  // namespace convoy

#endif
