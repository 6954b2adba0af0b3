#include "core/runtime/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/devices/fake/fake_device.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing {
namespace {

using runtime::PlanMemory;

convoy_optimizer optimizer(convoy_optimizer_kind kind, std::uint32_t slots) {
  auto result = make_sized<convoy_optimizer>();
  result.kind = kind;
  result.state_slots = slots;
  return result;
}

// The memory of a plan on two fake devices.
class Memory : public ::testing::Test {
 protected:
  Memory() : arena_(small_arena(32)), cluster_(plan::make_single_host(2, false, "fake")) {
    const convoy_device_request request{sizeof(request), 2, 1};
    for (std::uint32_t i = 0; i < 2; ++i)
      devices_.push_back(std::make_unique<plugin::OpenDevice>(*plugin_, request, i));
    engines_ = {devices_[0].get(), devices_[1].get(), devices_[0].get()};
    for (std::uint64_t e = 0; e < arena_.elements; ++e)
      values_.push_back(static_cast<float>(e) / 8);
  }

  PlanMemory& allocate(const WritePlan& write, const convoy_optimizer& rule,
                       std::uint64_t state_elements = 0) {
    plan_ = write_plan(cluster_, arena_, write);
    memory_ = std::make_unique<PlanMemory>(plan_, engines_, rule, state_elements);
    return *memory_;
  }

  std::uint32_t buffer(std::uint32_t kind, std::uint32_t owner) const {
    for (std::uint32_t i = 0; i < plan_.buffers.size(); ++i)
      if (plan_.buffers[i].kind == kind && plan_.buffers[i].owner == owner) return i;
    ADD_FAILURE() << "no buffer of kind " << kind;
    return 0;
  }

  std::vector<float> state(std::uint32_t of, std::uint32_t slot) {
    return memory_->read_state(of, slot, {0, plan_.buffers.at(of).count});
  }

  plan::ArenaMap arena_;
  plan::Cluster cluster_;
  std::unique_ptr<plugin::DevicePlugin> plugin_ = fake_plugin();
  std::vector<std::unique_ptr<plugin::OpenDevice>> devices_;
  runtime::Engines engines_;
  plan::Plan plan_;
  std::vector<float> values_;
  std::unique_ptr<PlanMemory> memory_;
};

TEST_F(Memory, BytesAreThoseOfBuffersOptimizerStateAndStatistics) {
  PlanMemory& memory = allocate(write_parameter_server, optimizer(CONVOY_OPTIMIZER_ADAM, 2), 10);
  const std::uint64_t arena = arena_.elements * sizeof(float);
  MemoryUse sum;
  for (const MemoryUse& place : memory.use()) {
    sum.parameters += place.parameters;
    sum.gradients += place.gradients;
    sum.optimizer_state += place.optimizer_state;
    sum.plan_buffers += place.plan_buffers;
    sum.statistics += place.statistics;
  }
  EXPECT_EQ(sum.parameters, 3 * arena) << "two replicas and a master";
  EXPECT_EQ(sum.gradients, 2 * arena);
  EXPECT_EQ(sum.optimizer_state, 2 * arena);
  EXPECT_EQ(sum.plan_buffers, arena) << "one scratch in all";
  EXPECT_EQ(sum.statistics, 2 * 10 * sizeof(float));
}

TEST_F(Memory, IsNotSpentOnBuffersThatNoOperationNames) {
  const auto write_more = [](Planner& planner) {
    write_parameter_server(planner);
    planner.scratch(PlaceId(0), 1 << 20);
  };
  PlanMemory& memory = allocate(write_more, optimizer(CONVOY_OPTIMIZER_SGD, 0));
  const std::uint64_t arena = arena_.elements * sizeof(float);
  std::uint64_t buffers = 0;
  for (const MemoryUse& place : memory.use()) buffers += place.plan_buffers;
  EXPECT_EQ(buffers, arena) << "the scratch that sums, not the one that nothing uses";
  memory.reset();
}

TEST_F(Memory, OfMastersOnDevicesIsThatOfOneArena) {
  PlanMemory& memory = allocate(write_sharded_server, optimizer(CONVOY_OPTIMIZER_MOMENTUM, 1));
  const std::uint64_t arena = arena_.elements * sizeof(float);
  std::uint64_t parameters = 0;
  std::uint64_t state = 0;
  for (const MemoryUse& place : memory.use()) {
    parameters += place.parameters;
    state += place.optimizer_state;
  }
  EXPECT_EQ(parameters, 3 * arena) << "two replicas, and two masters that share one arena";
  EXPECT_EQ(state, arena);
}

TEST_F(Memory, OfElementsThatNothingNamesReadsAsZeros) {
  PlanMemory& memory = allocate(write_sharded_server, optimizer(CONVOY_OPTIMIZER_SGD, 0));
  memory.write_parameters(values_);
  for (const std::uint32_t owner : {0u, 1u}) {
    const std::vector<float> read = memory.read_buffer(buffer(CONVOY_BUFFER_MASTER, owner));
    for (std::size_t b = 0; b < arena_.buckets.size(); ++b)
      for (std::uint64_t e = arena_.buckets[b].first;
           e < arena_.buckets[b].first + arena_.buckets[b].count; ++e)
        ASSERT_EQ(read[e], b % 2 == owner ? values_[e] : 0.0f) << "element " << e;
  }
}

TEST_F(Memory, IsWrittenAndReadInParts) {
  PlanMemory& memory = allocate(write_sharded_server, optimizer(CONVOY_OPTIMIZER_RMSPROP, 2));
  constexpr std::uint64_t kFirst = 20;  // across the first three buckets
  constexpr std::uint64_t kCount = 60;
  const std::span<const float> part = std::span(values_).subspan(kFirst, kCount);
  memory.write_parameters(kFirst, part);
  EXPECT_EQ(memory.read_parameters({kFirst, kCount}), std::vector<float>(part.begin(), part.end()));
  EXPECT_EQ(memory.read_parameters({0, kFirst}), std::vector<float>(kFirst, 0.0f));
  EXPECT_EQ(memory.read_optimizer_state(0, {kFirst, kCount}), std::vector<float>(kCount, 1.0f));
}

TEST_F(Memory, RegionsPointIntoTheirBuffers) {
  PlanMemory& memory = allocate(write_compressed, optimizer(CONVOY_OPTIMIZER_SGD, 0));
  for (std::uint32_t i = 0; i < plan_.buffers.size(); ++i) {
    const plan::PlanBuffer& it = plan_.buffers[i];
    const std::uint64_t first = it.count / 2;
    const convoy_region region = memory.region({i, it.dtype, first, it.count - first});
    EXPECT_EQ(region.place, it.place);
    EXPECT_EQ(region.dtype, it.dtype);
    EXPECT_EQ(region.count, it.count - first);
    const auto* base = reinterpret_cast<const std::byte*>(memory.base(i));
    EXPECT_EQ(static_cast<const std::byte*>(region.data) - base,
              static_cast<std::ptrdiff_t>(first * plan::dtype_bytes(it.dtype)));
  }
}

TEST_F(Memory, StateExistsWhereSomethingIsUpdatedAndStartsAsTheOptimizerSays) {
  PlanMemory& memory = allocate(write_parameter_server, optimizer(CONVOY_OPTIMIZER_RMSPROP, 2));
  const std::uint32_t master = buffer(CONVOY_BUFFER_MASTER, 2);
  EXPECT_EQ(state(master, 0), std::vector<float>(arena_.elements, 1.0f));
  EXPECT_EQ(state(master, 1), std::vector<float>(arena_.elements, 0.0f));
  EXPECT_THROW(memory.optimizer_state({buffer(CONVOY_BUFFER_PARAMETERS, 0), CONVOY_F32, 0, 1}, 0),
               std::out_of_range);
}

TEST_F(Memory, ThereIsNoStateForSlotsThatTheOptimizerDoesNotUse) {
  PlanMemory& memory = allocate(write_parameter_server, optimizer(CONVOY_OPTIMIZER_MOMENTUM, 1));
  const std::uint32_t master = buffer(CONVOY_BUFFER_MASTER, 2);
  EXPECT_NE(memory.optimizer_state({master, CONVOY_F32, 0, 1}, 0), nullptr);
  EXPECT_EQ(memory.optimizer_state({master, CONVOY_F32, 0, 1}, 1), nullptr);
}

TEST_F(Memory, WritesParametersIntoEveryCopyAndNothingElse) {
  PlanMemory& memory = allocate(write_staged, optimizer(CONVOY_OPTIMIZER_SGD, 0));
  memory.write_parameters(values_);
  for (std::uint32_t i = 0; i < plan_.buffers.size(); ++i) {
    const std::uint32_t kind = plan_.buffers[i].kind;
    const bool trained = kind == CONVOY_BUFFER_PARAMETERS || kind == CONVOY_BUFFER_MASTER;
    const std::vector<float> zeros(plan_.buffers[i].count, 0.0f);
    EXPECT_EQ(memory.read_buffer(i), trained ? values_ : zeros) << plan_.buffer_name(i);
  }
}

// Marks every element of every buffer with the buffer's number.
TEST_F(Memory, ReadsEachParameterWhereItIsUpdatedFirst) {
  struct Case {
    WritePlan write;
    std::uint32_t kind;
    std::function<std::uint32_t(std::size_t bucket)> owner;
  };
  const auto always = [](std::uint32_t owner) { return [owner](std::size_t) { return owner; }; };
  const std::vector<Case> cases = {
      {write_parameter_server, CONVOY_BUFFER_MASTER, always(2)},
      {write_sharded_server, CONVOY_BUFFER_MASTER,
       [](std::size_t bucket) { return static_cast<std::uint32_t>(bucket % 2); }},
      {write_independent, CONVOY_BUFFER_PARAMETERS, always(0)},
      {[](Planner& p) { p.compute(); }, CONVOY_BUFFER_PARAMETERS, always(0)}};
  for (const Case& it : cases) {
    PlanMemory& memory = allocate(it.write, optimizer(CONVOY_OPTIMIZER_SGD, 0));
    for (std::uint32_t i = 0; i < plan_.buffers.size(); ++i) {
      memory.write_buffer(i, std::vector<float>(plan_.buffers[i].count, static_cast<float>(i)));
    }
    const std::vector<float> read = memory.read_parameters();
    for (std::size_t b = 0; b < arena_.buckets.size(); ++b)
      for (std::uint64_t e = 0; e < arena_.buckets[b].count; ++e)
        ASSERT_EQ(read[arena_.buckets[b].first + e],
                  static_cast<float>(buffer(it.kind, it.owner(b))));
  }
}

TEST_F(Memory, ReadsWhatOverlappingUpdatesCoverTogether) {
  PlanMemory& memory = allocate(
      [](Planner& p) {
        p.compute();
        p.apply(p.master(PlaceId(2))[{0, 40}], p.gradient(ReplicaId(0))[{0, 40}]);
        p.apply(p.parameters(ReplicaId(1))[{20, 60}], p.gradient(ReplicaId(0))[{20, 60}]);
      },
      optimizer(CONVOY_OPTIMIZER_SGD, 0));
  const std::vector<std::uint32_t> owners = {buffer(CONVOY_BUFFER_PARAMETERS, 0),
                                             buffer(CONVOY_BUFFER_PARAMETERS, 1),
                                             buffer(CONVOY_BUFFER_MASTER, 2)};
  for (std::size_t mark = 0; mark < owners.size(); ++mark) {
    memory.write_buffer(owners[mark],
                        std::vector<float>(arena_.elements, static_cast<float>(mark)));
  }
  const std::vector<float> read = memory.read_parameters();
  for (std::size_t e = 0; e < read.size(); ++e)
    ASSERT_EQ(read[e], e < 40 ? 2.0f : e < 80 ? 1.0f : 0.0f) << e;
}

TEST_F(Memory, StatisticsAreOnePerReplica) {
  PlanMemory& memory = allocate(write_independent, optimizer(CONVOY_OPTIMIZER_SGD, 0), 3);
  memory.write_replica_state({1, 2, 3});
  EXPECT_NE(memory.replica_state(0), memory.replica_state(1));
  for (const std::uint32_t replica : {0u, 1u})
    EXPECT_EQ(memory.read_replica_state(replica), (std::vector<float>{1, 2, 3}));
  PlanMemory& without = allocate(write_independent, optimizer(CONVOY_OPTIMIZER_SGD, 0));
  EXPECT_EQ(without.replica_state(0), nullptr);
  EXPECT_TRUE(without.read_replica_state(0).empty());
}

}  // namespace
}  // namespace convoy::testing
