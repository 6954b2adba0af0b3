#include "core/plan/plan_writer.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.hpp"
#include "core/plan/validate.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing::plan_writer_test {
namespace {

convoy_operation raw(std::uint32_t kind) {
  auto it = make_sized<convoy_operation>();
  it.kind = kind;
  it.place = CONVOY_NONE;
  it.replica = CONVOY_NONE;
  return it;
}

TEST(PlanWriter, CastsConvertAmongFloatsOnly) {
  const auto cast = [](Dtype from, Dtype to) {
    return [=](Planner& p) {
      p.compute();
      p.cast(p.scratch(PlaceId(0), 8, to), p.scratch(PlaceId(0), 8, from));
    };
  };
  for (const Dtype half : {Dtype::kF16, Dtype::kBf16}) {
    EXPECT_EQ(plan_refusal(cast(Dtype::kF32, half)), "accepted");
    EXPECT_EQ(plan_refusal(cast(half, Dtype::kF32)), "accepted");
  }
  EXPECT_PLAN_REFUSED("f32, f16 and bf16 only, and a span is i32", cast(Dtype::kF32, Dtype::kI32));
  EXPECT_PLAN_REFUSED("f32, f16 and bf16 only, and a span is u8", cast(Dtype::kU8, Dtype::kF32));
}

TEST(PlanWriter, RefusesSpansOutsideTheirBuffer) {
  EXPECT_PLAN_REFUSED("outside parameters(0)", [](Planner& p) {
    p.fill(p.parameters(ReplicaId(0))[{130, 8}], 0);
  });
  // first + count wraps around.
  EXPECT_PLAN_REFUSED("outside parameters(0)", [](Planner& p) {
    p.fill(p.parameters(ReplicaId(0))[{2, std::numeric_limits<std::uint64_t>::max()}], 0);
  });
  EXPECT_PLAN_REFUSED("an empty span", [](Planner& p) {
    p.fill(p.parameters(ReplicaId(0))[{5, 0}], 0);
  });
  EXPECT_PLAN_REFUSED("buffer 77 does not exist", [](Planner& p) {
    p.fill(Span{77, CONVOY_F32, 0, 1}, 0);
  });
}

TEST(PlanWriter, RefusesUnequalCountsAndTypes) {
  EXPECT_PLAN_REFUSED("all must be equal", [](Planner& p) {
    p.copy(p.parameters(ReplicaId(0))[{0, 4}], p.gradient(ReplicaId(0))[{0, 5}]);
  });
  EXPECT_PLAN_REFUSED("use cast to convert", [](Planner& p) {
    p.copy(p.scratch(PlaceId(0), 4, Dtype::kBf16), p.gradient(ReplicaId(0))[{0, 4}]);
  });
  EXPECT_PLAN_REFUSED("a span of dtype", [](Planner& p) {
    p.fill(Span{p.gradient(ReplicaId(0)).id, CONVOY_BF16, 0, 4}, 0);
  });
  EXPECT_PLAN_REFUSED("pieces of 5 elements in all, but a span of 6", [](Planner& p) {
    p.reduce_scatter({p.scratch(PlaceId(0), 2), p.scratch(PlaceId(1), 3)}, p.all_gradients({0, 6}));
  });
}

TEST(PlanWriter, RefusesWritesThatOverlapOtherSpans) {
  EXPECT_PLAN_REFUSED("without being the same span", [](Planner& p) {
    p.copy(p.gradient(ReplicaId(0))[{0, 8}], p.gradient(ReplicaId(0))[{4, 8}]);
  });
  EXPECT_PLAN_REFUSED("two writes overlap", [](Planner& p) {
    p.broadcast({p.gradient(ReplicaId(0))[{0, 8}], p.gradient(ReplicaId(0))[{7, 8}]},
                p.gradient(ReplicaId(1))[{0, 8}]);
  });
  EXPECT_PLAN_REFUSED("overlaps read", [](Planner& p) {
    const std::vector<Span> spans = p.all_gradients({0, 8});
    p.emit(raw(CONVOY_OP_ALL_REDUCE), {spans[1], spans[0]}, {spans[0], spans[1]});
  });
}

TEST(PlanWriter, RefusesWhatTheInterfaceDoesNotDefine) {
  EXPECT_PLAN_REFUSED("operation kind 99 is not known",
                      [](Planner& p) { p.emit(raw(99), {}, {p.gradient(ReplicaId(0))}); });
  for (const std::uint32_t kind : {CONVOY_OP_NORM, CONVOY_OP_ADAPT_LOSS_SCALE})
    EXPECT_PLAN_REFUSED("a strategy cannot", [&](Planner& p) {
      p.emit(raw(kind), {p.gradient(ReplicaId(0))}, {p.scratch(PlaceId(0), 2)});
    });
  EXPECT_PLAN_REFUSED("priority 4 does not exist; there are 4", [](Planner& p) {
    p.with_priority(4, [&] { p.fill(p.gradient(ReplicaId(0)), 0); });
  });
  EXPECT_PLAN_REFUSED("flags 0x8 are not known", [](Planner& p) {
    convoy_operation it = raw(CONVOY_OP_COPY);
    it.flags = 8;
    p.emit(it, {p.gradient(ReplicaId(0))}, {p.gradient(ReplicaId(1))});
  });
  EXPECT_PLAN_REFUSED("reduction 9 does not exist", [](Planner& p) {
    p.all_reduce(p.all_gradients(p.arena()), {.reduction = static_cast<Reduction>(9)});
  });
  EXPECT_PLAN_REFUSED("algorithm 9 does not exist", [](Planner& p) {
    p.all_reduce(p.all_gradients(p.arena()), {.algorithm = static_cast<Algorithm>(9)});
  });
  EXPECT_PLAN_REFUSED("operation 0: struct_size of convoy_operation is 12", [](Planner& p) {
    convoy_operation it = raw(CONVOY_OP_COPY);
    it.struct_size = 12;
    p.emit(it, {p.gradient(ReplicaId(0))}, {p.gradient(ReplicaId(1))});
  });
  EXPECT_PLAN_REFUSED("is not finite", [](Planner& p) {
    p.fill(p.gradient(ReplicaId(0)), std::numeric_limits<double>::infinity());
  });
  EXPECT_PLAN_REFUSED("reads", [](Planner& p) { p.sum(p.gradient(ReplicaId(0)), {}); });
}

// So that a later version can give them a meaning.
TEST(PlanWriter, RefusesFieldsThatTheKindDoesNotUse) {
  const auto copy_with = [](auto set) {
    return [set](Planner& p) {
      convoy_operation it = raw(CONVOY_OP_COPY);
      set(it);
      p.emit(it, {p.gradient(ReplicaId(0))}, {p.gradient(ReplicaId(1))});
    };
  };
  EXPECT_PLAN_REFUSED("the scalar is 2", copy_with([](auto& it) { it.scalar = 2; }));
  EXPECT_PLAN_REFUSED("the size is 3", copy_with([](auto& it) { it.sizes[3] = 3; }));
  EXPECT_PLAN_REFUSED("the number of contributions is 4",
                      copy_with([](auto& it) { it.contributions = 4; }));
  EXPECT_PLAN_REFUSED("the lag is 5", copy_with([](auto& it) { it.max_lag = 5; }));
  EXPECT_PLAN_REFUSED("the range of layers is 6", copy_with([](auto& it) { it.layer_count = 6; }));
  EXPECT_PLAN_REFUSED("the description of a kernel is 7",
                      copy_with([](auto& it) { it.flops = 7; }));
  EXPECT_PLAN_REFUSED("the reduction is 1", copy_with([](auto& it) { it.reduction = 1; }));
  EXPECT_PLAN_REFUSED("the algorithm is 2", copy_with([](auto& it) { it.algorithm = 2; }));
  EXPECT_PLAN_REFUSED("effect of a kernel 4294967297 does not exist", [](Planner& p) {
    convoy_operation it = raw(CONVOY_OP_CALL);
    it.kernel = "any";
    it.effect = (std::uint64_t{1} << 32) + CONVOY_CALL_SUMS;
    p.emit(it, {p.gradient(ReplicaId(0))}, {p.gradient(ReplicaId(1))});
  });
}

TEST(PlanWriter, SaysWhatACallWithoutReadsMayRead) {
  EXPECT_PLAN_REFUSED("one element that fill sets", [](Planner& p) {
    p.call("any", p.replica_place(ReplicaId(0)), {}, {p.gradient(ReplicaId(0))});
  });
}

TEST(PlanWriter, RefusesPropertiesOfBuffersThatTheKindDoesNotUse) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const auto refused = [&](const convoy_buffer& description) {
    EXPECT_THROW(plan::resolve_buffer(description, cluster, arena.elements), Error);
  };
  refused({.kind = CONVOY_BUFFER_GRADIENT, .owner = 0, .set = 0, .dtype = 0, .count = 8});
  refused({.kind = CONVOY_BUFFER_MASTER, .owner = 0, .set = 0, .dtype = CONVOY_F16, .count = 0});
  refused({.kind = CONVOY_BUFFER_SCRATCH, .owner = 0, .set = 1, .dtype = 0, .count = 8});
}

TEST(PlanWriter, RefusesUnknownPlacesReplicasAndSets) {
  EXPECT_PLAN_REFUSED("replica 5 does not exist", [](Planner& p) { p.gradient(ReplicaId(5)); });
  EXPECT_PLAN_REFUSED("place 9 does not exist", [](Planner& p) { p.master(PlaceId(9)); });
  EXPECT_PLAN_REFUSED("buffer set 16 does not exist",
                      [](Planner& p) { p.gradient(ReplicaId(0), SetId(16)); });
  EXPECT_PLAN_REFUSED("a buffer of 0 elements", [](Planner& p) { p.scratch(PlaceId(0), 0); });
  EXPECT_PLAN_REFUSED("a buffer of 18446744073709551615 elements",
                      [](Planner& p) { p.scratch(PlaceId(0), ~std::uint64_t{0}); });
  EXPECT_PLAN_REFUSED("dtype 12 does not exist",
                      [](Planner& p) { p.scratch(PlaceId(0), 4, static_cast<Dtype>(12)); });
}

TEST(PlanWriter, RefusesUpdatesAndComputesOfTheWrongBuffers) {
  EXPECT_PLAN_REFUSED(
      "it updates a master or a replica's parameters, not gradient(0); variables of a plan's own "
      "that take updates are p.master(place)",
      [](Planner& p) { p.apply(p.gradient(ReplicaId(0)), p.gradient(ReplicaId(1))); });
  EXPECT_PLAN_REFUSED("it reads parameters(0) and writes gradient(0)", [](Planner& p) {
    convoy_operation it = raw(CONVOY_OP_FORWARD);
    it.replica = 0;
    p.emit(it, {p.parameters(ReplicaId(1))}, {});
  });
  EXPECT_PLAN_REFUSED("do not begin and end where segments do", [](Planner& p) {
    convoy_operation it = raw(CONVOY_OP_FORWARD);
    it.replica = 0;
    it.first_layer = 1;
    it.layer_count = 2;
    p.emit(it, {p.parameters(ReplicaId(0))}, {});
  });
  EXPECT_PLAN_REFUSED("give these or the whole arena", [](Planner& p) {
    convoy_operation it = raw(CONVOY_OP_FORWARD);
    it.replica = 0;
    p.emit(it, {p.parameters(ReplicaId(0))[{0, 4}]}, {});
  });
  EXPECT_PLAN_REFUSED("computing belongs in the body",
                      [](Planner& p) { p.prologue([&] { p.compute(); }); });
  EXPECT_PLAN_REFUSED("the plan computes nothing",
                      [](Planner& p) { p.fill(p.gradient(ReplicaId(0)), 0); });
}

TEST(PlanWriter, NamesTheOperationThatItRefuses) {
  EXPECT_PLAN_REFUSED("operation 4 (copy): ", [](Planner& p) {
    p.compute();
    p.copy(p.gradient(ReplicaId(0))[{0, 4}], p.gradient(ReplicaId(1))[{0, 5}]);
  });
}

TEST(PlanWriter, TheSameDescriptionIsTheSameBufferExceptForScratch) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  write_plan(cluster, arena, [](Planner& p) {
    EXPECT_EQ(p.gradient(ReplicaId(1)).id, p.gradient(ReplicaId(1)).id);
    EXPECT_NE(p.gradient(ReplicaId(1)).id, p.gradient(ReplicaId(0)).id);
    EXPECT_NE(p.gradient(ReplicaId(1)).id, p.gradient(ReplicaId(1), SetId(1)).id);
    EXPECT_NE(p.scratch(PlaceId(0), 4).id, p.scratch(PlaceId(0), 4).id);
    EXPECT_NE(p.persistent(PlaceId(0), 4).id, p.persistent(PlaceId(0), 4).id);
    p.compute();
  });
}

TEST(PlanWriter, KeepsEqualSizesOfOperationsOnce) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
    for (const auto r : p.replicas())
      for (const std::uint64_t inner : {2, 4}) {
        const PlaceId at = p.replica_place(r);
        p.matmul(p.scratch(at, 4), p.scratch(at, 2 * inner), p.scratch(at, 2 * inner), 2, 2, inner);
      }
    p.compute();
  });
  EXPECT_EQ(&*plan.body[0].details, &*plan.body[2].details);
  EXPECT_EQ(&*plan.body[1].details, &*plan.body[3].details);
  EXPECT_NE(plan.body[0].details->sizes[2], plan.body[1].details->sizes[2]);
}

TEST(PlanWriter, PhasesBeginWithTheFirstReplicaThatComputesAgain) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
    for (int i = 0; i < 2; ++i)
      for (const std::uint32_t r : {1u, 0u}) p.compute_replica(ReplicaId(r));
  });
  EXPECT_EQ(plan.computes, 2u);
  for (std::size_t i = 0; i < plan.body.size(); ++i)
    EXPECT_EQ(plan.body[i].phase, i < 4 ? 0u : 1u) << "operation " << i;
}

TEST(PlanWriter, SplitComputesByLayersAreOneCompute) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
    convoy_operation it = raw(CONVOY_OP_FORWARD);
    it.replica = 0;
    it.layer_count = 2;
    p.emit(it, {p.parameters(ReplicaId(0))}, {});
    it.first_layer = 2;
    it.layer_count = 3;
    p.emit(it, {p.parameters(ReplicaId(0))}, {});
    convoy_operation backward = raw(CONVOY_OP_BACKWARD);
    backward.replica = 0;
    p.emit(backward, {p.parameters(ReplicaId(0))}, {p.gradient(ReplicaId(0))});
  });
  EXPECT_EQ(plan.computes, 1u);
  EXPECT_EQ(plan.body[0].reads.front().first, 105u);
  EXPECT_EQ(plan.body[1].reads.front().first, 0u);
  EXPECT_EQ(plan.body[1].reads.front().count, 105u);
}

TEST(PlanHash, TellsPlansApart) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  std::map<std::uint64_t, std::string> hashes;
  for (const SamplePlan& sample : sample_plans()) {
    if (sample.name == "replicated_two_level") continue;
    const plan::Plan plan = write_plan(cluster, arena, sample.write);
    const auto [it, inserted] = hashes.emplace(plan::plan_hash(plan), sample.name);
    EXPECT_TRUE(inserted) << sample.name << " and " << it->second;
    EXPECT_EQ(plan::plan_hash(write_plan(cluster, arena, sample.write)), plan::plan_hash(plan));
  }
}

}  // namespace
}  // namespace convoy::testing::plan_writer_test
