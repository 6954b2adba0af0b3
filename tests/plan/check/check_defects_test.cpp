#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/check/check.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing {
namespace {

std::string findings_of(const plan::check::CheckReport& report) {
  std::string text = report.verdict_text();
  for (const plan::check::Finding& finding : report.findings)
    text += fmt::format("\n  {}: {}", plan::check::finding_name(finding.kind), finding.text);
  return text;
}

// What one planted defect must be called.
struct Defect {
  std::string name;
  WritePlan write;
  plan::check::FindingKind kind;
  std::string text;  // part of what the finding says
  std::uint32_t replica = CONVOY_NONE;
};

constexpr Range kPart{16, 20};

void apply_all(Planner& p, const std::vector<std::uint32_t>& summed, ApplyOptions options = {}) {
  p.compute();
  std::vector<Span> parts;
  parts.reserve(summed.size());
  for (const auto r : summed) parts.push_back(p.gradient(ReplicaId(r)));
  const Buffer total = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
  p.sum(total, parts);
  for (const auto r : p.replicas()) p.apply(p.parameters(r), total, options);
}

void emit_compute(Planner& p, ReplicaId replica, std::uint32_t kind, Range layers) {
  auto it = make_sized<convoy_operation>();
  it.kind = kind;
  it.place = CONVOY_NONE;
  it.replica = replica.index();
  it.first_layer = static_cast<std::uint32_t>(layers.first);
  it.layer_count = static_cast<std::uint32_t>(layers.count);
  if (kind == CONVOY_OP_FORWARD)
    p.emit(it, {p.parameters(replica)}, {});
  else
    p.emit(it, {p.parameters(replica)}, {p.gradient(replica)});
}

// A forward and these parts of its backward, on every replica.
void apply_backwards(Planner& p, const std::vector<Range>& parts) {
  for (const auto r : p.replicas()) {
    emit_compute(p, r, CONVOY_OP_FORWARD, {});
    for (const Range& layers : parts) emit_compute(p, r, CONVOY_OP_BACKWARD, layers);
  }
  p.all_reduce(p.all_gradients(p.arena()));
  for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
}

std::vector<Defect> structural_defects() {
  return {
      {"two backwards of one forward",
       [](Planner& p) {
         apply_backwards(p, {{}, {}});
       },
       plan::check::FindingKind::kDoubled, "although no forward has run since the last backward",
       1},
      {"a backward in the wrong order",
       [](Planner& p) {
         apply_backwards(p, {{0, 2}, {2, 3}});
       },
       plan::check::FindingKind::kMissing, "runs layers [0, 2) when layers [0, 5) are to come", 1},
      {"a backward that runs some layers again",
       [](Planner& p) {
         apply_backwards(p, {{2, 3}, {}});
       },
       plan::check::FindingKind::kDoubled, "runs layers [0, 5) when layers [0, 2) are to come", 1},
      {"a replica left out",
       [](Planner& p) {
         apply_all(p, {0, 1});
       },
       plan::check::FindingKind::kMissing,
       "on fc/bias to conv1/kernel, arena [0..137): the gradient of replica 2 is missing", 2},
      {"a replica left out and not counted",
       [](Planner& p) {
         apply_all(p, {0, 1}, {.contributions = 2});
       },
       plan::check::FindingKind::kMissing, "the gradient of replica 2 is missing", 2},
      {"a replica summed twice",
       [](Planner& p) {
         apply_all(p, {0, 1, 1, 2});
       },
       plan::check::FindingKind::kDoubled, "the gradient of replica 1 is in the sum 2 times", 1},
      {"wrong contributions",
       [](Planner& p) {
         apply_all(p, {0, 1, 2}, {.contributions = 5});
       },
       plan::check::FindingKind::kScaled, "3 gradients are summed but divided by 5 contributions"},
      {"applied twice",
       [](Planner& p) {
         apply_all(p, {0, 1, 2});
         p.all_reduce(p.all_gradients(p.arena()));
         for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
       },
       plan::check::FindingKind::kDoubled, "the gradient of replica 1 is applied again", 1},
      {"scaled",
       [](Planner& p) {
         p.compute();
         p.scale(p.gradient(ReplicaId(1)), p.gradient(ReplicaId(1)), 0.5);
         p.all_reduce(p.all_gradients(p.arena()));
         for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
       },
       plan::check::FindingKind::kScaled, "the gradient of replica 1 is multiplied by 0.5", 1},
      {"one replica never updated",
       [](Planner& p) {
         p.compute();
         p.all_reduce(p.all_gradients(p.arena()));
         for (const auto r : {ReplicaId(0), ReplicaId(2)}) p.apply(p.parameters(r), p.gradient(r));
       },
       plan::check::FindingKind::kNeverUpdated,
       "replica 1 reads parameters that no update ever reaches", 1},
      {"a changed parameter",
       [](Planner& p) {
         apply_all(p, {0, 1, 2});
         p.fill(p.parameters(ReplicaId(1))[kPart], 1);
       },
       plan::check::FindingKind::kForeign, "it makes parameters out of the constant 1"}};
}

std::vector<Defect> span_defects() {
  return {{"a variable never updated",
           [](Planner& p) {
             p.compute();
             for (const Range range : {Range{0, 72}, Range{105, 32}}) {
               p.all_reduce(p.all_gradients(range));
               for (const auto r : p.replicas())
                 p.apply(p.parameters(r)[range], p.gradient(r)[range]);
             }
           },
           plan::check::FindingKind::kNeverUpdated, "on conv2/kernel [0..33)", 0},
          {"shifted",
           [](Planner& p) {
             p.compute();
             p.all_reduce(p.all_gradients(p.arena()));
             const Buffer moved = p.scratch(p.replica_place(ReplicaId(0)), p.arena_elements());
             p.copy(moved, p.gradient(ReplicaId(0)));
             p.copy(moved[kPart], p.gradient(ReplicaId(0))[{kPart.first + 3, kPart.count}]);
             p.copy(p.gradient(ReplicaId(2)), moved);
             for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
           },
           plan::check::FindingKind::kShifted,
           "on fc/weights [8..28): the gradient of replica 0 comes from 3", 0},
          {"uninitialised",
           [](Planner& p) {
             p.compute();
             const Buffer part = p.scratch(p.replica_place(ReplicaId(0)), p.arena_elements());
             p.copy(part[{0, 100}], p.gradient(ReplicaId(0))[{0, 100}]);
             p.copy(p.gradient(ReplicaId(0)), part);
             p.all_reduce(p.all_gradients(p.arena()));
             for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
           },
           plan::check::FindingKind::kUninitialised, "before anything is written there"},
          {"optimizer state left behind",
           [](Planner& p) {
             p.compute();
             p.all_reduce(p.all_gradients(p.arena()));
             const Buffer master = p.master(p.host_place(ReplicaId(0)));
             p.apply(master, p.gradient(ReplicaId(0)));
             for (const auto r : p.replicas()) p.copy(p.parameters(r), master);
             p.compute();
             p.all_reduce(p.all_gradients(p.arena()));
             for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
             p.copy(master, p.parameters(ReplicaId(0)));
           },
           plan::check::FindingKind::kState, "the optimizer's state has seen other updates"},
          {"momentum without a gradient",
           [](Planner& p) {
             apply_all(p, {0, 1, 2});
             const Buffer nothing = p.persistent(p.host_place(ReplicaId(0)), p.arena_elements());
             for (const auto r : p.replicas()) p.apply(p.parameters(r), nothing);
           },
           plan::check::FindingKind::kMissing, "no gradient is applied"}};
}

TEST(CheckPlan, AcceptsABackwardInPartsFromTheLastLayerToTheFirst) {
  const plan::check::CheckReport report = plan::check::check_plan(
      write_plan(plan::make_single_host(3, true, "cpu"), small_arena(0), [](Planner& p) {
        apply_backwards(p, {{2, 3}, {0, 2}});
      }));
  EXPECT_EQ(report.verdict, plan::check::Verdict::kSynchronous) << findings_of(report);
}

class PlantedDefect : public ::testing::TestWithParam<Defect> {};

TEST_P(PlantedDefect, IsNamedWithItsOperation) {
  const Defect& defect = GetParam();
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(3, true, "cpu");
  const plan::check::CheckReport report =
      plan::check::check_plan(write_plan(cluster, arena, defect.write));
  EXPECT_EQ(report.verdict, plan::check::Verdict::kWrong);
  bool found = false;
  for (const plan::check::Finding& finding : report.findings)
    found =
        found ||
        (finding.kind == defect.kind && finding.operation != CONVOY_NONE &&
         finding.replica == defect.replica && finding.text.find(defect.text) != std::string::npos &&
         finding.text.find(fmt::format("(operation {})", finding.operation)) != std::string::npos);
  EXPECT_TRUE(found) << defect.name << ": " << findings_of(report);
}

const auto kDefectName = [](const auto& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
};
INSTANTIATE_TEST_SUITE_P(Structure, PlantedDefect, ::testing::ValuesIn(structural_defects()),
                         kDefectName);
INSTANTIATE_TEST_SUITE_P(Spans, PlantedDefect, ::testing::ValuesIn(span_defects()), kDefectName);

}  // namespace
}  // namespace convoy::testing
