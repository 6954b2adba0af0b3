#include "tests/plan/sample_models.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/plan/host_cluster.hpp"
#include "core/plan/plan_writer.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::testing {
namespace {

void add_variable(plan::ArenaMap& arena, std::string name, std::uint64_t elements,
                  std::uint64_t stored, std::uint64_t layer) {
  arena.variables.push_back({std::move(name), {arena.elements, stored}, elements, layer});
  arena.elements += stored;
}

void set_matrix(plan::VariableRange& variable, std::uint64_t rows, std::uint64_t columns) {
  variable.kind = CONVOY_VARIABLE_WEIGHTS;
  variable.dimensions = {rows, columns};
  variable.matrix_rows = rows;
  variable.matrix_columns = columns;
}

plan::ArenaMap small_model() {
  plan::ArenaMap arena;
  add_variable(arena, "fc/bias", 5, 8, 3);
  add_variable(arena, "fc/weights", 60, 64, 3);
  add_variable(arena, "conv2/kernel", 33, 33, 2);
  add_variable(arena, "conv1/bias", 7, 8, 0);
  add_variable(arena, "conv1/kernel", 24, 24, 0);
  set_matrix(arena.variables[1], 6, 10);
  set_matrix(arena.variables[2], 3, 11);
  set_matrix(arena.variables[4], 4, 6);
  arena.segments = {{0, 2, {105, 32}}, {2, 1, {72, 33}}, {3, 2, {0, 72}}};
  return arena;
}

}  // namespace

plan::ArenaMap small_arena(std::uint64_t bucket_elements) {
  plan::ArenaMap arena = small_model();
  arena.buckets = plan::make_buckets(arena.elements, bucket_elements);
  return arena;
}

plan::ArenaMap ragged_arena() {
  plan::ArenaMap arena = small_model();
  arena.buckets = {{0, 3}, {3, 50}, {53, 1}, {54, 60}, {114, 23}};
  return arena;
}

plan::ArenaMap large_arena(std::uint64_t elements, std::uint32_t variables, std::uint32_t buckets) {
  constexpr std::uint32_t kVariablesPerSegment = 10;
  plan::ArenaMap arena;
  for (std::uint32_t v = 0; v < variables; ++v)
    add_variable(arena, fmt::format("layer{}/kernel", variables - 1 - v), elements / variables,
                 elements / variables, variables - 1 - v);
  for (std::uint32_t last = variables; last > 0;) {
    const std::uint32_t first = last > kVariablesPerSegment ? last - kVariablesPerSegment : 0;
    const std::uint64_t begin = arena.variables[first].range.first;
    const plan::ElementRange& end = arena.variables[last - 1].range;
    arena.segments.push_back(
        {arena.variables[last - 1].layer, last - first, {begin, end.first + end.count - begin}});
    last = first;
  }
  arena.buckets = plan::make_buckets(arena.elements, arena.elements / buckets + 1);
  return arena;
}

plan::Plan write_plan(const plan::Cluster& cluster, const plan::ArenaMap& arena,
                      const WritePlan& write) {
  plan::PlanWriter writer(cluster, arena);
  const convoy_host host{sizeof(convoy_host), [](convoy_context*, const char*) {},
                         [](convoy_context*, std::int32_t, const char*) {},
                         [](convoy_context*, const char*) -> const char* { return nullptr; }};
  try {
    Planner planner(writer.table(), &host, nullptr);
    write(planner);
  } catch (const detail::Reported&) {
    fail(ExitCode::kFailed, "{}", writer.error());
  }
  return writer.finish();
}

std::string plan_refusal(const WritePlan& write, std::uint32_t replicas) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(replicas, true, "cpu");
  return thrown_text([&] { write_plan(cluster, arena, write); }, "accepted");
}

}  // namespace convoy::testing
