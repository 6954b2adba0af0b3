#include <convoy/sized.hpp>

#include "core/plan/lower/forward_plan.hpp"

#include "core/base/error.hpp"
#include "core/plan/plan_writer.hpp"

namespace convoy::plan {
namespace {

void write_forward(const convoy_planner& planner, std::uint32_t replica, std::uint64_t elements) {
  convoy_buffer description{};
  description.kind = CONVOY_BUFFER_PARAMETERS;
  description.owner = replica;
  std::uint32_t buffer = 0;
  CONVOY_CHECK_EQ(planner.buffer(planner.self, &description, &buffer), 0);
  const convoy_span parameters{buffer, CONVOY_F32, 0, elements};
  auto operation = make_sized<convoy_operation>();
  operation.kind = CONVOY_OP_FORWARD;
  operation.place = CONVOY_NONE;
  operation.replica = replica;
  operation.reads = &parameters;
  operation.read_count = 1;
  CONVOY_CHECK_EQ(planner.emit(planner.self, &operation), 0);
}

}  // namespace

Plan make_forward_plan(const Cluster& cluster, const ArenaMap& arena) {
  PlanWriter writer(cluster, arena);
  for (std::uint32_t replica = 0; replica < cluster.replicas(); ++replica)
    write_forward(*writer.table(), replica, arena.elements);
  return writer.finish();
}

}  // namespace convoy::plan
