#include "core/plan/validate.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/plan/validate_rules.hpp"

namespace convoy::plan {

void require_index(std::uint64_t index, std::uint64_t count, const char* what) {
  if (index >= count)
    fail(ExitCode::kFailed, "{} {} does not exist; there are {}", what, index, count);
}

bool has_sizes(const convoy_operation& operation) {
  return std::ranges::any_of(operation.sizes, [](std::uint64_t size) { return size != 0; });
}

namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 48;  // the largest buffer

// Rule 3 of convoy/abi.h: unused fields are zero, so that a later version can give them a meaning.
template <typename Value>
void require_zero(Value value, const char* what) {
  if (value != Value{})
    fail(ExitCode::kFailed, "the {} is {}; nothing uses it, and it must be 0", what, value);
}

}  // namespace

PlanBuffer resolve_buffer(const convoy_buffer& description, const Cluster& cluster,
                          std::uint64_t arena_elements) {
  PlanBuffer buffer{description.kind,  description.owner, description.set,
                    description.dtype, description.count, 0};
  switch (description.kind) {
    case CONVOY_BUFFER_PARAMETERS:
    case CONVOY_BUFFER_GRADIENT:
      require_index(description.owner, cluster.replicas(), "replica");
      require_index(description.set, CONVOY_SETS, "buffer set");
      buffer.place = cluster.replica_place[description.owner];
      break;
    case CONVOY_BUFFER_MASTER:
      require_index(description.set, CONVOY_SETS, "buffer set");
      [[fallthrough]];
    case CONVOY_BUFFER_SCRATCH:
    case CONVOY_BUFFER_PERSISTENT:
      require_index(description.owner, cluster.places.size(), "place");
      buffer.place = description.owner;
      break;
    default:
      fail(ExitCode::kFailed, "buffer kind {} is not known to this convoy (ABI 1.0)",
           description.kind);
  }
  if (description.kind <= CONVOY_BUFFER_MASTER) {
    require_zero(description.count, "count of an arena");
    require_zero(description.dtype, "dtype of an arena");
    buffer.count = arena_elements;
  } else {
    require_zero(description.set, "set of a buffer that has none");
  }
  if (buffer.dtype > CONVOY_U8) fail(ExitCode::kFailed, "dtype {} does not exist", buffer.dtype);
  if (buffer.count == 0) fail(ExitCode::kFailed, "a buffer of 0 elements");
  if (buffer.count > kMostElements)
    fail(ExitCode::kFailed, "a buffer of {} elements; {} are the most", buffer.count,
         kMostElements);
  return buffer;
}

namespace {

void require_count(std::uint64_t count, SpanCounts possible, const char* what) {
  if (count >= possible.least && count <= std::min(possible.most, kMaximumSpans)) return;
  if (possible.most == kManySpans)
    fail(ExitCode::kFailed, "{} {}; 1 to {} are possible", count, what, kMaximumSpans);
  if (possible.least == possible.most)
    fail(ExitCode::kFailed, "{} {}; it has {}", count, what, possible.most);
  fail(ExitCode::kFailed, "{} {}; it has {} or {}", count, what, possible.least, possible.most);
}

void require_counts(const convoy_operation& source, const OperationTraits& traits) {
  constexpr SpanCounts kOne{1, 1};
  const bool update = source.kind == CONVOY_OP_APPLY;
  if (source.kind == CONVOY_OP_CALL && source.read_count == 0)
    fail(ExitCode::kFailed,
         "a call without reads: let it read the memory that its result depends on, which it may "
         "also write; where that is the step alone, one element that fill sets");
  require_count(source.read_count, update ? kOne : traits.reads, "reads");
  require_count(source.write_count, update ? kOne : traits.writes, "writes");
}

void require_span(const PlanSpan& span, const Plan& plan) {
  require_index(span.buffer, plan.buffers.size(), "buffer");
  const PlanBuffer& buffer = plan.buffers[span.buffer];
  if (span.count == 0)
    fail(ExitCode::kFailed, "an empty span of {}", plan.buffer_name(span.buffer));
  if (span.first > buffer.count || span.count > buffer.count - span.first)
    fail(ExitCode::kFailed, "elements [{}, {}+{}) are outside {}, which has {}", span.first,
         span.first, span.count, plan.buffer_name(span.buffer), buffer.count);
  if (span.dtype != buffer.dtype)
    fail(ExitCode::kFailed, "a span of dtype {} in {}, which is {}", span.dtype,
         plan.buffer_name(span.buffer), dtype_name(buffer.dtype));
}

void require_equal_dtypes(const Operation& operation) {
  const std::uint32_t dtype = operation.writes.front().dtype;
  for (const auto* spans : {&operation.reads, &operation.writes})
    for (const PlanSpan& span : *spans)
      if (span.dtype != dtype)
        fail(ExitCode::kFailed, "spans of {} and {}; use cast to convert", dtype_name(dtype),
             dtype_name(span.dtype));
}

// Requires floating-point types, because devices convert no others.
void require_floats(const Operation& operation) {
  for (const auto* spans : {&operation.reads, &operation.writes})
    for (const PlanSpan& span : *spans)
      if (span.dtype != CONVOY_F32 && span.dtype != CONVOY_F16 && span.dtype != CONVOY_BF16)
        fail(ExitCode::kFailed,
             "it converts among f32, f16 and bf16 only, and a span is {}; quantise makes codes of "
             "few bits, and a call may do anything else",
             dtype_name(span.dtype));
}

std::uint64_t total(std::span<const PlanSpan> spans) {
  std::uint64_t sum = 0;
  for (const PlanSpan& span : spans) sum += span.count;
  return sum;
}

// Requires that the pieces partition the span that each member of the group has.
void require_partition(std::span<const PlanSpan> pieces, std::span<const PlanSpan> spans) {
  for (const PlanSpan& span : spans)
    if (span.count != total(pieces))
      fail(ExitCode::kFailed, "pieces of {} elements in all, but a span of {}", total(pieces),
           span.count);
}

void narrow_to_layers(Operation& operation, const Plan& plan) {
  require_index(operation.replica, plan.cluster->replicas(), "replica");
  const auto& segments = plan.arena->segments;
  if (operation.layer_count == 0) operation.layer_count = plan.arena->layers();
  const std::uint64_t end = operation.first_layer + operation.layer_count;
  std::uint64_t covered = 0;
  std::uint64_t low = plan.arena->elements;
  std::uint64_t high = 0;
  for (const Segment& segment : segments) {
    if (segment.first_layer < operation.first_layer || segment.first_layer >= end) continue;
    covered += segment.layer_count;
    low = std::min(low, segment.range.first);
    high = std::max(high, segment.range.first + segment.range.count);
  }
  if (covered != operation.layer_count)
    fail(ExitCode::kFailed, "layers [{}, {}) do not begin and end where segments do",
         operation.first_layer, end);
  for (auto* spans : {&operation.reads, &operation.writes}) {
    for (PlanSpan& span : *spans) {
      const PlanBuffer& buffer = plan.buffers[span.buffer];
      const auto wanted =
          spans == &operation.reads ? CONVOY_BUFFER_PARAMETERS : CONVOY_BUFFER_GRADIENT;
      if (buffer.kind != static_cast<std::uint32_t>(wanted) || buffer.owner != operation.replica)
        fail(ExitCode::kFailed, "it reads parameters({0}) and writes gradient({0}), not {1}",
             operation.replica, plan.buffer_name(span.buffer));
      const bool is_whole = span.first == 0 && span.count == buffer.count;
      if (!is_whole && (span.first != low || span.count != high - low))
        fail(ExitCode::kFailed,
             "layers [{}, {}) have the parameters [{}, {}), and a span is [{}, {}): give these or "
             "the whole arena",
             operation.first_layer, end, low, high, span.first, span.first + span.count);
      span.first = low;
      span.count = high - low;
    }
  }
  operation.place = plan.cluster->replica_place[operation.replica];
}

void check_apply(Operation& operation, const Plan& plan) {
  const PlanBuffer& target = plan.buffers[operation.writes.front().buffer];
  if (!target.is_of_model())
    fail(ExitCode::kFailed,
         "it updates a master or a replica's parameters, not {}; variables of a plan's own that "
         "take updates are p.master(place)",
         plan.buffer_name(operation.writes.front().buffer));
  if (operation.contributions == 0) operation.contributions = plan.cluster->replicas();
}

// A declared kernel adds element by element, so its spans must be alike.
void check_call(const Operation& operation) {
  if (operation.details->effect == CONVOY_CALL_UNDECLARED) return;
  require_equal_counts(operation);
  if (operation.details->effect == CONVOY_CALL_KEEPS_REST)
    require_count(operation.writes.size(), {2, 2}, "writes; the second one is the rest");
}

void check_shape(Operation& operation, const Plan& plan) {
  switch (operation.kind) {
    case OperationKind::kForward:
    case OperationKind::kBackward:
      return narrow_to_layers(operation, plan);
    case OperationKind::kReduceScatter:
      return require_partition(operation.writes, operation.reads);
    case OperationKind::kAllGather:
      return require_partition(operation.reads, operation.writes);
    case OperationKind::kCall:
      return check_call(operation);
    default:
      if (is_compression(operation.kind)) return require_messages(operation);
      require_operands(operation);
  }
  if (traits_of(operation.kind).types == OperationTypes::kConverted)
    require_floats(operation);
  else
    require_equal_dtypes(operation);
  if (operation.kind == OperationKind::kApply) check_apply(operation, plan);
}

// Requires that the fields which the kind does not use are zero.
void require_rest_zero(const convoy_operation& source, const OperationTraits& traits) {
  const std::uint32_t kind = source.kind;
  const bool collects = traits.work == OperationWork::kCollective;
  const bool calls = kind == CONVOY_OP_CALL;
  if (!collects && kind != CONVOY_OP_SUM) require_zero(source.reduction, "reduction");
  if (!collects) require_zero(source.algorithm, "algorithm");
  if ((traits.fields & kUsesScalar) == 0) require_zero(source.scalar, "scalar");
  if (kind != CONVOY_OP_APPLY) require_zero(source.contributions, "number of contributions");
  if ((source.flags & CONVOY_OP_RELAXED_READS) == 0) require_zero(source.max_lag, "lag");
  if (traits.work != OperationWork::kCompute)
    require_zero(source.first_layer | source.layer_count, "range of layers");
  if ((traits.fields & kUsesSizes) == 0)
    for (const std::uint64_t size : source.sizes) require_zero(size, "size");
  if (!calls) require_zero(source.bytes | source.flops | source.effect, "description of a kernel");
}

// Checks everything that does not depend on the plan.
void require_possible(const convoy_operation& source) {
  const OperationTraits* const traits = find_operation_traits(source.kind);
  if (traits == nullptr)
    fail(ExitCode::kFailed, "operation kind {} is not known to this convoy (ABI 1.0)", source.kind);
  if (traits->written_by_host)
    fail(ExitCode::kFailed, "the host writes this operation where it is needed, a strategy cannot");
  constexpr std::uint32_t kTransposes = CONVOY_OP_TRANSPOSES_A | CONVOY_OP_TRANSPOSES_B;
  constexpr std::uint32_t kKnownFlags = CONVOY_OP_RELAXED_READS | CONVOY_OP_ANY_ORDER | kTransposes;
  if ((source.flags & ~kKnownFlags) != 0)
    fail(ExitCode::kFailed, "flags {:#x} are not known to this convoy (ABI 1.0)", source.flags);
  if ((source.flags & kTransposes) != 0 && source.kind != CONVOY_OP_MATMUL)
    fail(ExitCode::kFailed, "only matmul transposes");
  require_index(source.reduction, CONVOY_REDUCE_MAX + 1, "reduction");
  require_index(source.algorithm, CONVOY_ALGORITHM_DEVICE_ONLY + 1, "algorithm");
  require_index(source.priority, CONVOY_PRIORITIES, "priority");
  require_index(source.effect, CONVOY_CALL_KEEPS_REST + 1, "effect of a kernel");
  require_rest_zero(source, *traits);
  if (!std::isfinite(source.scalar))
    fail(ExitCode::kFailed, "scalar {} is not finite", source.scalar);
  require_counts(source, *traits);
}

// Whether the operation has details to keep. Zeros, which require_rest_zero requires for most
// kinds, need no memory.
bool has_details(const convoy_operation& source) {
  return source.kernel != nullptr || source.kind == CONVOY_OP_CALL || has_sizes(source);
}

void set_details(OperationDetails& details, const convoy_operation& source) {
  std::copy_n(source.sizes, 4, details.sizes);
  if (source.kernel != nullptr) details.kernel = source.kernel;
  details.bytes = source.bytes;
  details.flops = source.flops;
  details.effect = static_cast<std::uint32_t>(source.effect);
}

Operation copy_of(const convoy_operation& source) {
  Operation result;
  result.kind = static_cast<OperationKind>(source.kind);
  result.flags = source.flags;
  result.place = source.place;
  result.reduction = static_cast<std::uint8_t>(source.reduction);
  result.algorithm = static_cast<std::uint8_t>(source.algorithm);
  result.replica = source.replica;
  result.scalar = source.scalar;
  result.contributions = source.contributions;
  result.max_lag = source.max_lag;
  result.first_layer = source.first_layer;
  result.layer_count = source.layer_count;
  result.priority = static_cast<std::uint8_t>(source.priority);
  if (has_details(source)) set_details(result.details.edit(), source);
  if (source.read_count > 0) result.reads.assign(source.reads, source.reads + source.read_count);
  if (source.write_count > 0)
    result.writes.assign(source.writes, source.writes + source.write_count);
  return result;
}

}  // namespace

Operation resolve_operation(const convoy_operation& source, const Plan& plan) {
  require_possible(source);
  Operation result = copy_of(source);
  for (const auto* spans : {&result.reads, &result.writes})
    for (const PlanSpan& span : *spans) require_span(span, plan);
  if (result.place == CONVOY_NONE && !result.writes.empty())
    result.place = plan.place_of(result.writes.front());
  check_shape(result, plan);
  if (is_collective(result.kind)) require_aligned(result);
  if (!is_compute(result.kind) && !is_collective(result.kind)) require_no_straddling(result);
  if (result.place != CONVOY_NONE)
    require_index(result.place, plan.cluster->places.size(), "place");
  return result;
}

}  // namespace convoy::plan
