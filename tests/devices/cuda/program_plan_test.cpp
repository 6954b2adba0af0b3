#include <convoy/sized.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/conformance/layer_networks.hpp"
#include "core/graph/arena.hpp"
#include "core/graph/graph_view.hpp"
#include "core/graph/layout.hpp"
#include "plugins/devices/cuda/programs/program.hpp"
#include "plugins/devices/cuda/programs/propose_layouts.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::cuda {
namespace {

using conformance::all_layer_networks;
using conformance::LayerNetwork;

// A graph as a device gets it, with the storage that CUDA devices propose.
class Compiled {
 public:
  explicit Compiled(graph::Graph graph) : graph_(std::move(graph)) {
    const graph::Arena plain(graph_);
    const graph::GraphView plain_view(graph_, plain);
    layouts_.resize(graph_.variables().size());
    propose_layouts(*plain_view.c_graph(), layouts_.data());
    arena_ = std::make_unique<graph::Arena>(graph_, layouts_);
    view_ = std::make_unique<graph::GraphView>(graph_, *arena_);
  }
  convoy_compilation what(std::uint32_t batch, std::uint32_t dtype = CONVOY_F32,
                          std::uint32_t flags = 0) const {
    auto what = make_sized<convoy_compilation>();
    what.graph = view_->c_graph();
    what.batch = batch;
    what.flags = flags;
    what.replicas = 1;
    what.dtype = dtype;
    return what;
  }
  const graph::Graph& graph() const { return graph_; }
  const std::vector<convoy_layout>& layouts() const { return layouts_; }

 private:
  graph::Graph graph_;
  std::vector<convoy_layout> layouts_;
  std::unique_ptr<graph::Arena> arena_;
  std::unique_ptr<graph::GraphView> view_;
};

class ProgramPlans : public testing::TestWithParam<LayerNetwork> {};

std::size_t tasks_of(const std::vector<TaskList>& segments) {
  std::size_t count = 0;
  for (const auto& tasks : segments) count += tasks.size();
  return count;
}

TEST_P(ProgramPlans, AreMadeWithoutAGpu) {
  const Compiled compiled(GetParam().build());
  for (const std::uint32_t dtype : {CONVOY_F32, CONVOY_F16, CONVOY_BF16}) {
    const ProgramPlan plan = plan_program(compiled.what(2, dtype));
    EXPECT_GT(tasks_of(plan.forward), 3u);
    EXPECT_GT(tasks_of(plan.backward), 3u);
    EXPECT_GT(plan.memory.bytes(), 0u);
    EXPECT_EQ(plan.loss_segment + 1, compiled.graph().segment_count());
  }
}

TEST_P(ProgramPlans, NeedMoreMemoryForMoreImages) {
  const Compiled compiled(GetParam().build());
  std::uint64_t before = 0;
  for (const std::uint32_t batch : {1u, 8u, 64u, 512u}) {
    const std::uint64_t bytes = plan_program(compiled.what(batch)).memory.bytes();
    EXPECT_GT(bytes, before) << batch << " images";
    before = bytes;
  }
}

TEST_P(ProgramPlans, HavePlacesForTwoBatchesOfImages) {
  const Compiled compiled(GetParam().build());
  const ProgramPlan plan = plan_program(compiled.what(3));
  const graph::GraphNode& input = compiled.graph().nodes().front();
  EXPECT_EQ(plan.image_bytes, 3 * input.output.elements() * sizeof(float));
  EXPECT_EQ(plan.label_offset() % 256, 0u);
  EXPECT_GE(plan.label_offset(), plan.image_bytes);
  EXPECT_EQ(plan.batch_bytes(), plan.label_offset() + 3 * sizeof(std::int32_t));
  EXPECT_EQ(plan.input_segment, 0u);
}

TEST_P(ProgramPlans, NeedNoMoreForInference) {
  const Compiled compiled(GetParam().build());
  const ProgramPlan training = plan_program(compiled.what(64));
  const ProgramPlan inference =
      plan_program(compiled.what(64, CONVOY_F32, CONVOY_COMPILE_INFERENCE));
  EXPECT_LE(inference.memory.bytes(), training.memory.bytes());
  EXPECT_EQ(tasks_of(inference.backward), 0u);
}

TEST_P(ProgramPlans, StoreVariablesAsTheyReadThem) {
  const Compiled compiled(GetParam().build());
  const std::vector<graph::GraphVariable>& variables = compiled.graph().variables();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    EXPECT_EQ(graph::layout_problem(compiled.layouts()[i], variables[i].dimensions), "")
        << variables[i].name;
    if (variables[i].dimensions.size() == 4)
      EXPECT_EQ(compiled.layouts()[i].strides[1], 1u) << variables[i].name;
    else
      EXPECT_TRUE(graph::is_plain(compiled.layouts()[i], variables[i].dimensions))
          << variables[i].name;
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, ProgramPlans, testing::ValuesIn(all_layer_networks()),
                         [](const auto& test) { return test.param.name; });

std::string problem(const convoy_compilation& what) {
  return thrown_text<std::exception>([&] { plan_program(what); }, "none");
}

TEST(ProgramPlan, NamesWhatItCannotCompute) {
  const Compiled compiled(all_layer_networks().front().build());
  EXPECT_THAT(problem(compiled.what(2, CONVOY_F32, 1u << 20)), testing::HasSubstr("1048576"));
  EXPECT_THAT(problem(compiled.what(2, CONVOY_U8)), testing::HasSubstr("f32, f16 or bf16"));
}

}  // namespace
}  // namespace convoy::cuda
