#include "core/simulate/memory_need.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <convoy/graph_builder.hpp>

#include "core/graph/assembler.hpp"
#include "core/plan/cluster.hpp"

namespace convoy::simulate {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

MemoryNeed need(std::uint64_t buffers, std::uint64_t activations) {
  MemoryNeed result;
  result.buffers = buffers;
  result.activations = activations;
  return result;
}

// Two devices and a host with 1000 bytes.
SimulatedMachine two_devices(bool in_host_memory) {
  SimulatedMachine machine;
  for (int device = 0; device < 2; ++device) {
    SimulatedPlace place;
    place.device = 0;
    place.in_host_memory = in_host_memory;
    machine.places.push_back(place);
  }
  SimulatedPlace host;
  host.memory_bytes = 1000;
  machine.places.push_back(host);
  return machine;
}

TEST(MemoryProblem, OfAHostIsThatOfAllItsCpuDevices) {
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const SimulatedMachine machine = two_devices(true);
  EXPECT_THAT(memory_problem({need(400, 0), need(0, 500), {}}, cluster, machine), IsEmpty());
  EXPECT_THAT(memory_problem({need(400, 0), need(0, 500), need(200, 0)}, cluster, machine),
              HasSubstr("host:0 has"));
}

TEST(MemoryProblem, OfDevicesWithMemoryOfTheirOwnIsNotTheirHosts) {
  const plan::Cluster cluster = plan::make_single_host(2, true, "cuda");
  EXPECT_THAT(
      memory_problem({need(4000, 0), need(0, 5000), need(900, 0)}, cluster, two_devices(false)),
      IsEmpty());
}

// Of two 1x1 convolutions of 4 x 4 pixels that are concatenated, and a pool behind that.
graph::Graph two_columns() {
  return graph::assemble_graph("columns", 4, 10, [](const convoy_graph_builder& builder) {
    GraphBuilder graph(builder);
    const LayerId a = graph.conv(graph.input(), 8, {.relu = true});
    const LayerId b = graph.conv(graph.input(), 24, {.relu = true});
    graph.classify(graph.max_pool(graph.concat({a, b}),
                                  {.kernel = 3, .stride = 1, .padding = Padding::kSame}));
  });
}

class MemoryNeeds : public ::testing::Test {
 protected:
  MemoryNeeds() : cluster_(plan::make_single_host(1, false, "cuda")) {
    plan_.cluster = &cluster_;
    machine_.devices.emplace_back();
    machine_.places.resize(cluster_.places.size());
    machine_.places.front().device = 0;
  }

  std::uint64_t activations(std::uint32_t batch, bool half) const {
    return memory_needs(plan_, two_columns(), batch, 0, half, machine_).front().activations;
  }

  plan::Cluster cluster_;
  plan::Plan plan_;
  SimulatedMachine machine_;
};

TEST_F(MemoryNeeds, CopiesOfConcatenationsAndRecordsOfPoolsAreKept) {
  constexpr std::uint64_t kPixels = 16;
  constexpr std::uint64_t kKept = kPixels * (3 + 8 + 24 + 32 + 32);
  constexpr std::uint64_t kGradients = kPixels * (32 + 32);  // of the pool and what is behind it
  constexpr std::uint64_t kRecords = kPixels * 32;
  EXPECT_EQ(activations(1, false), 4 * (kKept + kGradients) + kRecords);
  EXPECT_EQ(activations(5, true), 5 * (2 * (kKept + kGradients) + kRecords));
}

TEST_F(MemoryNeeds, ABufferThatNoOperationNamesTakesNone) {
  plan_.buffers.resize(2);
  plan_.buffers[0].count = 1000;
  plan_.buffers[1].count = 500;
  plan::Operation copy;
  copy.kind = plan::OperationKind::kCopy;
  plan::PlanSpan span{};
  span.buffer = 1;
  span.count = 500;
  copy.reads.push_back(span);
  plan_.body.push_back(copy);
  EXPECT_EQ(memory_needs(plan_, two_columns(), 1, 0, false, machine_).front().buffers, 2000u);
}

}  // namespace
}  // namespace convoy::simulate
