#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/graph/graph.hpp"

namespace convoy::graph {

// Turns what a model describes into a Graph. Pass c_builder() to the model's build(), then call
// finish(): it throws Error for the first layer that was refused, whether or not the model noticed,
// and for a graph without a loss or with a layer that nothing reads. Host code may call add()
// directly, which throws at once.
class GraphAssembler {
 public:
  GraphAssembler(std::string model, uint32_t image_size, uint32_t classes);
  GraphAssembler(const GraphAssembler&) = delete;
  GraphAssembler& operator=(const GraphAssembler&) = delete;

  const convoy_graph_builder* c_builder() const { return &builder_; }
  uint32_t add(const convoy_layer& layer);
  TensorShape shape(uint32_t id) const;
  // Text of the first refusal through c_builder(); empty if there was none.
  const std::string& error() const { return error_; }
  Graph finish();

 private:
  static int32_t add_thunk(void* self, const convoy_layer* layer, uint32_t* id) noexcept;
  static int32_t shape_thunk(void* self, uint32_t id, uint32_t out[3]) noexcept;
  std::string describe(const convoy_layer& layer) const;
  std::string name_layer(const convoy_layer& layer, const std::string& where);
  std::vector<TensorShape> input_shapes(const GraphNode& node, const std::string& where) const;
  void check_place(const convoy_layer& layer, const std::string& where) const;
  template <typename Call>
  int32_t guard(Call call) noexcept;

  std::string model_;
  uint32_t classes_;
  std::vector<GraphNode> nodes_;
  std::map<uint32_t, uint32_t> kind_counts_;
  std::map<std::string, uint32_t> names_;
  std::string error_;
  convoy_graph_builder builder_{};
};

// Returns the graph that `build`, which calls a model plug-in, describes. If the host refused a
// layer, throws the host's reason, even if the model reports another one.
Graph assemble_graph(std::string model, uint32_t image_size, uint32_t classes,
                     const std::function<void(const convoy_graph_builder&)>& build);

}  // namespace convoy::graph
