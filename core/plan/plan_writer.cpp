#include "core/plan/plan_writer.hpp"

#include <algorithm>
#include <bit>
#include <convoy/sized.hpp>
#include <exception>

#include "core/base/error.hpp"
#include "core/plan/arrange_steps.hpp"
#include "core/plan/stages.hpp"

namespace convoy::plan {
namespace {

std::span<const PlanSpan> readable(const PlanSpan* spans, std::uint64_t count) {
  return {spans, count <= kMaximumSpans ? count : 0};
}

void add_operation(Digest& digest, const convoy_operation& it) {
  for (const std::uint64_t word :
       {std::uint64_t{it.kind} << 32 | it.flags, std::uint64_t{it.place} << 32 | it.replica,
        std::uint64_t{it.reduction} << 32 | it.algorithm, std::bit_cast<std::uint64_t>(it.scalar),
        it.contributions, it.max_lag, it.first_layer, it.layer_count, it.bytes, it.flops})
    digest.add(word);
  if (has_sizes(it))
    for (const std::uint64_t size : it.sizes) digest.add(size);
  if (it.kernel != nullptr) digest.add(std::string_view(it.kernel));
  if (it.effect != CONVOY_CALL_UNDECLARED) digest.add(it.effect);
  if (it.priority != 0) digest.add(it.priority);
  digest.add(readable(it.reads, it.read_count));
  digest.add(readable(it.writes, it.write_count));
}

}  // namespace

PlanWriter::PlanWriter(const Cluster& cluster, const ArenaMap& arena, Purpose purpose)
    : cluster_(cluster), arena_(arena), purpose_(purpose) {
  table_ = {sizeof(table_), this,         get_cluster, get_place,      get_replica_place,
            get_route,      get_variable, get_bucket,  declare_buffer, set_section,
            emit,           name_buffer,  get_group,   set_stage};
  plan_.cluster = &cluster;
  plan_.arena = &arena;
}

template <typename Action>
int32_t PlanWriter::guarded(Action action) noexcept {
  try {
    action();
    return 0;
  } catch (const std::exception& error) {
    error_ = error.what();
    return 1;
  }
}

int32_t PlanWriter::get_cluster(void* self, convoy_cluster* out) {
  auto& it = *static_cast<PlanWriter*>(self);
  return it.guarded([&] {
    convoy_cluster answer{};
    answer.hosts = it.cluster_.hosts;
    answer.places = static_cast<std::uint32_t>(it.cluster_.places.size());
    answer.replicas = it.cluster_.replicas();
    answer.variables = static_cast<std::uint32_t>(it.arena_.variables.size());
    answer.buckets = static_cast<std::uint32_t>(it.arena_.buckets.size());
    answer.arena_elements = it.arena_.elements;
    answer_sized(*out, answer, "convoy_cluster");
  });
}

int32_t PlanWriter::get_place(void* self, uint32_t index, convoy_place* out) {
  auto& it = *static_cast<PlanWriter*>(self);
  return it.guarded([&] {
    require_index(index, it.cluster_.places.size(), "place");
    const Place& place = it.cluster_.places[index];
    convoy_place answer{};
    answer.kind = place.kind;
    answer.host = place.host;
    answer.replica = place.replica;
    answer.near_place = place.near_place;
    answer.name = place.name.c_str();
    answer_sized(*out, answer, "convoy_place");
  });
}

int32_t PlanWriter::get_replica_place(void* self, uint32_t replica, uint32_t* place) {
  auto& it = *static_cast<PlanWriter*>(self);
  return it.guarded([&] {
    require_index(replica, it.cluster_.replicas(), "replica");
    *place = it.cluster_.replica_place[replica];
  });
}

int32_t PlanWriter::get_route(void* self, uint32_t from, uint32_t to, convoy_route* out) {
  auto& it = *static_cast<PlanWriter*>(self);
  return it.guarded([&] {
    require_index(from, it.cluster_.places.size(), "place");
    require_index(to, it.cluster_.places.size(), "place");
    const Route route = it.cluster_.route ? it.cluster_.route(from, to) : Route{};
    convoy_route answer{};
    answer.kind = route.kind;
    answer.peer_access = it.cluster_.access[to][from] ? 1 : 0;
    answer.bytes_per_second = route.bytes_per_second;
    answer.shared_group = route.shared_group;
    answer_sized(*out, answer, "convoy_route");
  });
}

int32_t PlanWriter::get_variable(void* self, uint32_t index, convoy_variable* out) {
  auto& it = *static_cast<PlanWriter*>(self);
  return it.guarded([&] {
    require_index(index, it.arena_.variables.size(), "variable");
    const VariableRange& variable = it.arena_.variables[index];
    convoy_variable answer{};
    answer.range = variable.range;
    answer.elements = variable.elements;
    answer.layer = variable.layer;
    answer.name = variable.name.c_str();
    answer.kind = variable.kind;
    answer.rank = static_cast<std::uint32_t>(variable.dimensions.size());
    std::ranges::copy(variable.dimensions, answer.dimensions);
    answer.matrix_rows = variable.matrix_rows;
    answer.matrix_columns = variable.matrix_columns;
    answer_sized(*out, answer, "convoy_variable");
  });
}

int32_t PlanWriter::get_bucket(void* self, uint32_t index, convoy_range* out) {
  auto& it = *static_cast<PlanWriter*>(self);
  return it.guarded([&] {
    require_index(index, it.arena_.buckets.size(), "bucket");
    *out = it.arena_.buckets[index];
  });
}

int32_t PlanWriter::declare_buffer(void* self, const convoy_buffer* description, uint32_t* id) {
  auto& it = *static_cast<PlanWriter*>(self);
  return it.guarded([&] { *id = it.add_buffer(*description); });
}

int32_t PlanWriter::name_buffer(void* self, uint32_t id, const char* name) {
  auto& it = *static_cast<PlanWriter*>(self);
  return it.guarded([&] {
    require_index(id, it.plan_.buffers.size(), "buffer");
    it.plan_.buffers[id].name.edit() = name == nullptr ? "" : name;
  });
}

int32_t PlanWriter::set_section(void* self, uint32_t section) {
  auto& it = *static_cast<PlanWriter*>(self);
  return it.guarded([&] {
    if (section != CONVOY_SECTION_PROLOGUE && section != CONVOY_SECTION_BODY)
      fail(ExitCode::kFailed, "section {} is not known to this convoy (ABI 1.0)", section);
    it.section_ = section;
    it.digest_.add(section);
  });
}

int32_t PlanWriter::emit(void* self, const convoy_operation* operation) {
  auto& it = *static_cast<PlanWriter*>(self);
  return it.guarded([&] {
    convoy_operation room;
    const convoy_operation& known = it.read(*operation, room);
    if (it.purpose_ == Purpose::kWrite) it.keep(known);
    it.count(known);
    add_operation(it.digest_, known);
  });
}

int32_t PlanWriter::get_group(void* self, uint32_t sharing, uint32_t replica, uint32_t* number) {
  auto& it = *static_cast<PlanWriter*>(self);
  return it.guarded([&] {
    if (sharing < CONVOY_SHARES_HOST || sharing > CONVOY_SHARES_NVLINK)
      fail(ExitCode::kFailed, "what replicas share: {} is not known to this convoy (ABI 1.0)",
           sharing);
    require_index(replica, it.cluster_.replicas(), "replica");
    *number = it.cluster_.group_of(sharing, replica);
  });
}

int32_t PlanWriter::set_stage(void* self, uint64_t first_step) {
  auto& it = *static_cast<PlanWriter*>(self);
  return it.guarded([&] {
    it.stage_ = nullptr;
    if (first_step != 0) {
      it.stage_ = &it.later_[first_step];
      it.stage_->first_step = first_step;
    }
    it.digest_.add(first_step);
  });
}

void PlanWriter::count(const convoy_operation& operation) {
  spans_ += readable(operation.reads, operation.read_count).size() +
            readable(operation.writes, operation.write_count).size();
  if (++operations_ <= kMaximumOperations && spans_ <= kMaximumSpansInAll) return;
  too_large_ = true;
  fail(ExitCode::kUsage,
       "the plan has more than {} operations, or {} spans; a larger --bucket_mb and fewer devices "
       "need less",
       kMaximumOperations, kMaximumSpansInAll);
}

// Returns the operation itself, or its copy in `room` if it has fewer fields than this host knows.
const convoy_operation& PlanWriter::read(const convoy_operation& operation,
                                         convoy_operation& room) const {
  try {
    if (readable_in_place(operation, "convoy_operation", Side::kHost)) return operation;
    return room = read_sized(operation, "convoy_operation", Side::kHost);
  } catch (const UnusableStruct& error) {
    fail(ExitCode::kFailed, "operation {}: {}", operations_, error.what());
  }
}

void PlanWriter::keep(const convoy_operation& operation) {
  Operation accepted = accept(operation);
  share_details(accepted);
  const bool prologue = section_ == CONVOY_SECTION_PROLOGUE;
  if (prologue && is_compute(accepted.kind))
    fail(ExitCode::kFailed, "{} in the prologue: computing belongs in the body",
         operation_name(accepted.kind));
  std::vector<Operation>& before = stage_ == nullptr ? plan_.prologue : stage_->prologue;
  std::vector<Operation>& body = stage_ == nullptr ? plan_.body : stage_->body;
  (prologue ? before : body).push_back(std::move(accepted));
}

// Replicas run the same operations on spans of their own, so these operations share the details.
void PlanWriter::share_details(Operation& operation) {
  if (operation.details.is_default()) return;
  const auto is_equal = [&](const Rare<OperationDetails>& it) { return *it == *operation.details; };
  const auto known = std::ranges::find_if(recent_details_, is_equal);
  if (known != recent_details_.end()) {
    operation.details = *known;
    return;
  }
  recent_details_[oldest_details_] = operation.details;
  oldest_details_ = (oldest_details_ + 1) % recent_details_.size();
}

std::uint32_t PlanWriter::add_buffer(const convoy_buffer& description) {
  const PlanBuffer buffer = resolve_buffer(description, cluster_, arena_.elements);
  const auto id = static_cast<std::uint32_t>(plan_.buffers.size());
  if (description.kind <= CONVOY_BUFFER_MASTER) {
    std::vector<std::uint32_t>& known =
        named_buffers_[description.kind * CONVOY_SETS + description.set];
    if (known.size() <= description.owner) known.resize(description.owner + 1, CONVOY_NONE);
    if (known[description.owner] != CONVOY_NONE) return known[description.owner];
    known[description.owner] = id;
  }
  plan_.buffers.push_back(buffer);
  for (const std::uint64_t word :
       {std::uint64_t{buffer.kind}, std::uint64_t{buffer.owner}, std::uint64_t{buffer.set},
        std::uint64_t{buffer.dtype}, buffer.count})
    digest_.add(word);
  return id;
}

Operation PlanWriter::accept(const convoy_operation& operation) const {
  try {
    return resolve_operation(operation, plan_);
  } catch (const Error& error) {
    fail(ExitCode::kFailed, "operation {} ({}): {}", operations_,
         operation_name(static_cast<OperationKind>(operation.kind)), error.what());
  }
}

Plan PlanWriter::finish() {
  arrange_steps(plan_);
  for (auto& [unused, stage] : later_) {
    plan_.body.swap(stage.body);
    arrange_steps(plan_);
    plan_.body.swap(stage.body);
  }
  plan_.computes = number_operations(plan_.prologue, plan_.body, cluster_.replicas(), 0);
  const auto prologue = static_cast<std::uint32_t>(plan_.prologue.size());
  for (auto& [unused, stage] : later_) {
    stage.computes = number_operations(stage.prologue, stage.body, cluster_.replicas(), prologue);
    plan_.later.push_back(std::move(stage));
  }
  require_stages(plan_);
  return std::move(plan_);
}

}  // namespace convoy::plan
