#pragma once

// The planner, with which a strategy writes its plan: cluster, model, and operations on named
// memory.

#include <convoy/abi.h>
#include <convoy/compression.hpp>
#include <convoy/host_calls.hpp>
#include <convoy/ids.hpp>
#include <convoy/options.hpp>
#include <convoy/plan_types.hpp>
#include <convoy/sized.hpp>
#include <convoy/spans.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace convoy {

namespace detail {
inline void accept(int32_t status) {
  if (status != 0) throw Reported{CONVOY_FAILED};
}
}  // namespace detail

// The argument of plan(). It shows the whole cluster. The plan that is written through it is the
// step of all replicas on all hosts; see concepts.md. Valid during plan(), for one thread at a
// time; returned values belong to the caller. When the host refuses a call, the function throws an
// exception; plan() must not catch it.
class Planner {
 public:
  Planner(const convoy_planner* table, const convoy_host* host, convoy_context* context)
      : table_(read_table(*table, "convoy_planner")), host_(host), context_(context) {
    detail::accept(table_.cluster(table_.self, &cluster_));
  }

  // --- the cluster: places and replicas, numbered from 0 over all hosts
  std::uint32_t replica_count() const { return cluster_.replicas; }
  std::vector<ReplicaId> replicas() const { return ids<ReplicaId>(cluster_.replicas); }
  std::uint32_t place_count() const { return cluster_.places; }
  std::vector<PlaceId> places() const { return ids<PlaceId>(cluster_.places); }
  PlaceInfo place(PlaceId place) const {
    auto out = make_sized<convoy_place>();
    detail::accept(table_.place(table_.self, place.index(), &out));
    return {static_cast<PlaceKind>(out.kind), out.host, known<ReplicaId>(out.replica),
            known<PlaceId>(out.near_place), out.name};
  }
  // The device that the replica runs on.
  PlaceId replica_place(ReplicaId replica) const {
    std::uint32_t out = 0;
    detail::accept(table_.replica_place(table_.self, replica.index(), &out));
    return PlaceId(out);
  }
  // The memory of the host that the replica's device is attached to.
  PlaceId host_place(ReplicaId replica) const {
    const PlaceInfo device = place(replica_place(replica));
    if (!device.near_place) throw std::runtime_error(device.name + " is attached to no host place");
    return *device.near_place;
  }
  // The route of bytes from one place to another, as far as it is known.
  RouteInfo route(PlaceId from, PlaceId to) const {
    auto out = make_sized<convoy_route>();
    detail::accept(table_.route(table_.self, from.index(), to.index(), &out));
    const bool is_known = out.kind <= CONVOY_ROUTE_NETWORK;
    return {is_known ? static_cast<RouteKind>(out.kind) : RouteKind::kUnknown, out.peer_access != 0,
            out.bytes_per_second, known<std::uint32_t>(out.shared_group)};
  }

  // Groups of replicas that share this hardware, ordered by their first replica. Every replica is
  // in exactly one group. A replica that shares it with no other, or for which this is unknown, has
  // a group of its own.
  std::vector<std::vector<ReplicaId>> groups(Sharing what) const {
    std::vector<std::vector<ReplicaId>> result;
    std::map<std::uint32_t, std::size_t> places;  // in the result, by number of the group
    for (const ReplicaId r : replicas()) {
      const std::optional<std::uint32_t> number = group_of(what, r);
      const std::size_t own =
          number ? places.try_emplace(*number, result.size()).first->second : result.size();
      if (own == result.size()) result.emplace_back();
      result[own].push_back(r);
    }
    return result;
  }

  // --- the model: variables and host-made buckets, both in arena order
  std::uint64_t arena_elements() const { return cluster_.arena_elements; }
  Range arena() const { return {0, cluster_.arena_elements}; }
  std::uint32_t variable_count() const { return cluster_.variables; }
  VariableInfo variable(std::uint32_t index) const {
    auto out = make_sized<convoy_variable>();
    detail::accept(table_.variable(table_.self, index, &out));
    std::optional<MatrixShape> matrix;
    if (out.matrix_columns > 0) matrix = {out.matrix_rows, out.matrix_columns};
    return {out.range,
            out.elements,
            out.layer,
            out.name,
            out.kind <= CONVOY_VARIABLE_VALUES ? static_cast<VariableKind>(out.kind)
                                               : VariableKind::kUnknown,
            {out.dimensions, out.dimensions + std::min<std::size_t>(out.rank, 4)},
            matrix};
  }
  // They partition the arena; --bucket_mb is their size.
  std::vector<Range> buckets() const {
    std::vector<Range> result(cluster_.buckets);
    for (std::uint32_t i = 0; i < cluster_.buckets; ++i)
      detail::accept(table_.bucket(table_.self, i, &result[i]));
    return result;
  }

  // --- options that the manifest declares, see Options
  std::string option(const char* name) const { return options().option(name); }
  bool flag(const char* name) const { return options().flag(name); }
  std::int64_t integer(const char* name) const { return options().integer(name); }
  double number(const char* name) const { return options().number(name); }
  // Refuses these options or this cluster. The reason names the value, the cause and what to do.
  // Throwing std::invalid_argument does the same.
  [[noreturn]] void refuse(const std::string& reason) const {
    host_->set_error(context_, reason.c_str());
    throw detail::Reported{CONVOY_REFUSED};
  }

  // --- memory. A Buffer names memory; nothing is allocated in plan(). The first three kinds are
  // f32 with arena_elements() elements and the same layout: a range names the same variables in
  // each of them.

  // The parameters that the replica's forward and backward read.
  Buffer parameters(ReplicaId replica, SetId set = {}) {
    return declare(CONVOY_BUFFER_PARAMETERS, replica.index(), set, Dtype::kF32, arena_elements());
  }
  // The gradient that the replica's backward writes.
  Buffer gradient(ReplicaId replica, SetId set = {}) {
    return declare(CONVOY_BUFFER_GRADIENT, replica.index(), set, Dtype::kF32, arena_elements());
  }
  // Variables kept at a place, with the optimizer's state.
  Buffer master(PlaceId place) {
    return declare(CONVOY_BUFFER_MASTER, place.index(), {}, Dtype::kF32, arena_elements());
  }
  // New memory for `count` elements. Its contents are undefined whenever the body begins.
  Buffer scratch(PlaceId place, std::uint64_t count, Dtype dtype = Dtype::kF32) {
    return declare(CONVOY_BUFFER_SCRATCH, place.index(), {}, dtype, count);
  }
  // New memory that keeps its contents from step to step; zero before the first one.
  Buffer persistent(PlaceId place, std::uint64_t count, Dtype dtype = Dtype::kF32) {
    return declare(CONVOY_BUFFER_PERSISTENT, place.index(), {}, dtype, count);
  }
  // Names the buffer in messages and listings: "residual" instead of "persistent 7".
  void name(const Buffer& buffer, const std::string& name) {
    if (table_.name_buffer == nullptr) return;  // an older host has numbers only
    detail::accept(table_.name_buffer(table_.self, buffer.id, name.c_str()));
  }
  // One span of every replica's parameters, or gradient, in the order of the replicas.
  std::vector<Span> all_parameters(Range range, SetId set = {}) {
    std::vector<Span> result;
    for (ReplicaId r : replicas()) result.push_back(parameters(r, set)[range]);
    return result;
  }
  std::vector<Span> all_gradients(Range range, SetId set = {}) {
    std::vector<Span> result;
    for (ReplicaId r : replicas()) result.push_back(gradient(r, set)[range]);
    return result;
  }

  // --- operations, in program order. Unless stated otherwise, the spans of an operation have the
  // same count and dtype. They may be in different places. A written span may be the same as a span
  // that is read, but must not overlap it partially. The host checks all of this.

  // to = from
  void copy(Span to, Span from, CopyOptions options = {}) {
    convoy_operation operation = make(CONVOY_OP_COPY);
    if (options.relaxed) {
      operation.flags = CONVOY_OP_RELAXED_READS;
      operation.max_lag = options.max_lag;
    }
    submit(operation, {&from, 1}, {&to, 1});
  }
  // Every element of to = value.
  void fill(Span to, double value) { submit(make(CONVOY_OP_FILL, value), {}, {&to, 1}); }
  // to = a + b
  void add(Span to, Span a, Span b) { emit(make(CONVOY_OP_ADD), {a, b}, {to}); }
  // to = by * from
  void scale(Span to, Span from, double by) {
    submit(make(CONVOY_OP_SCALE, by), {&from, 1}, {&to, 1});
  }
  // to = a * x + y
  void axpy(Span to, double a, Span x, Span y) { emit(make(CONVOY_OP_AXPY, a), {x, y}, {to}); }
  // to = from, converted to to's dtype. Both dtypes are f32, f16 or bf16.
  void cast(Span to, Span from) { submit(make(CONVOY_OP_CAST), {&from, 1}, {&to, 1}); }
  // to = the sum of 1 to 1048576 spans, added up at to's place.
  void sum(Span to, const std::vector<Span>& from) { submit(make(CONVOY_OP_SUM), from, {&to, 1}); }
  // to = value * factor, element by element; a factor of one element multiplies all. f32, like all
  // following operations. The checker treats it as linear in `value`, whatever the factor is.
  void multiply(Span to, Span value, Span factor) {
    emit(make(CONVOY_OP_MULTIPLY), {value, factor}, {to});
  }
  // to = value / divisor, with sizes as in multiply(); `where_zero` where the divisor is zero.
  void divide(Span to, Span value, Span divisor, double where_zero = 0) {
    emit(make(CONVOY_OP_DIVIDE, where_zero), {value, divisor}, {to});
  }
  // to = the square root of from, element by element.
  void square_root(Span to, Span from) {
    submit(make(CONVOY_OP_SQUARE_ROOT), {&from, 1}, {&to, 1});
  }
  // to (one element) = the inner product of a and b. With a = b it is the square of the norm.
  void dot(Span to, Span a, Span b) { emit(make(CONVOY_OP_DOT), {a, b}, {to}); }
  // to[m, n] = a[m, k] * b[k, n], row-major. `to` is neither a nor b.
  void matmul(Span to, Span a, Span b, std::uint64_t m, std::uint64_t n, std::uint64_t k,
              MatmulOptions options = {}) {
    convoy_operation operation = make(CONVOY_OP_MATMUL);
    if (options.transposes_a) operation.flags |= CONVOY_OP_TRANSPOSES_A;
    if (options.transposes_b) operation.flags |= CONVOY_OP_TRANSPOSES_B;
    operation.sizes[0] = m;
    operation.sizes[1] = n;
    operation.sizes[2] = k;
    operation.sizes[3] = options.batch == 1 ? 0 : options.batch;
    emit(operation, {a, b}, {to});
  }
  // to[rows, columns], row-major = orthonormal columns whose span includes the columns of `from`.
  // There are at least as many rows as columns. See CONVOY_OP_ORTHOGONALISE.
  void orthogonalise(Span to, Span from, std::uint64_t rows, std::uint64_t columns) {
    convoy_operation operation = make(CONVOY_OP_ORTHOGONALISE);
    operation.sizes[0] = rows;
    operation.sizes[1] = columns;
    submit(operation, {&from, 1}, {&to, 1});
  }
  // --- collectives: one call names the spans of all members

  // Every span = the reduction of all spans.
  void all_reduce(const std::vector<Span>& spans, CollectiveOptions options = {}) {
    emit(collective(CONVOY_OP_ALL_REDUCE, options), spans, spans);
  }
  // The pieces, one after the other, = the reduction of all spans of `from`. Together the pieces
  // have as many elements as one span.
  void reduce_scatter(const std::vector<Span>& pieces, const std::vector<Span>& from,
                      CollectiveOptions options = {}) {
    emit(collective(CONVOY_OP_REDUCE_SCATTER, options), from, pieces);
  }
  // Every span of `to` = the pieces, one after the other.
  void all_gather(const std::vector<Span>& to, const std::vector<Span>& pieces,
                  CollectiveOptions options = {}) {
    emit(collective(CONVOY_OP_ALL_GATHER, options), pieces, to);
  }
  // Every span = from.
  void broadcast(const std::vector<Span>& to, Span from, CollectiveOptions options = {}) {
    emit(collective(CONVOY_OP_BROADCAST, options), {from}, to);
  }
  // to = the reduction of all spans.
  void reduce(Span to, const std::vector<Span>& from, CollectiveOptions options = {}) {
    emit(collective(CONVOY_OP_REDUCE, options), from, {to});
  }
  // --- updates, kernels, computing

  // The configured optimizer on a range of a master, or of a replica's own parameters. The host
  // divides the sum by its contributions and adds weight decay, clipping and the learning rate of
  // the step: that of the last compute() before it in the body, or of the first for what comes
  // before.
  void apply(Span parameters, Span gradient_sum, ApplyOptions options = {}) {
    convoy_operation operation = make(CONVOY_OP_APPLY);
    operation.contributions = options.contributions;
    if (options.any_order) operation.flags = CONVOY_OP_ANY_ORDER;
    submit(operation, {&gradient_sum, 1}, {&parameters, 1});
  }
  // The plug-in's own kernel (Strategy::kernel, host_kernel) at a place; the name is copied.
  void call(const char* kernel, PlaceId place, const std::vector<Span>& reads,
            const std::vector<Span>& writes, CallOptions options = {}) {
    convoy_operation operation = make(CONVOY_OP_CALL);
    operation.kernel = kernel;
    operation.place = place.index();
    operation.bytes = options.bytes;
    operation.flops = options.flops;
    operation.effect = static_cast<std::uint64_t>(options.effect);
    operation.scalar = options.scalar;
    for (std::size_t i = 0; i < options.sizes.size(); ++i) operation.sizes[i] = options.sizes[i];
    emit(operation, reads, writes);
  }
  // Forward and backward of one replica, all layers.
  void compute_replica(ReplicaId replica, ComputeOptions options = {}) {
    convoy_operation operation = make(CONVOY_OP_FORWARD);
    operation.replica = replica.index();
    if (options.relaxed) {
      operation.flags = CONVOY_OP_RELAXED_READS;
      operation.max_lag = options.max_lag;
    }
    const Span read = parameters(replica, options.parameters_set);
    submit(operation, {&read, 1}, {});
    operation.kind = CONVOY_OP_BACKWARD;
    const Span written = gradient(replica, options.gradient_set);
    submit(operation, {&read, 1}, {&written, 1});
  }
  // Forward and backward of every replica.
  void compute(ComputeOptions options = {}) {
    for (ReplicaId r : replicas()) compute_replica(r, options);
  }
  // Gives this priority to the operations that `action` writes: from 0, the default, to
  // CONVOY_PRIORITIES - 1. Of ready operations for the same link or engine, the one with the
  // highest priority runs first. A running operation is not interrupted, so cut large tensors.
  template <typename Action>
  void with_priority(std::uint64_t priority, Action action) {
    const std::uint64_t outside = std::exchange(priority_, priority);
    action();
    priority_ = outside;
  }
  // --- compression: messages that take less memory than the values they represent, see concepts.md

  // values and indices (kI32) = the elements of `from` of largest magnitude, as many as `values`
  // holds. rest = `from` without them; it may be `from` itself.
  void top_k(Span values, Span indices, Span from, std::optional<Span> rest = {}) {
    emit(make(CONVOY_OP_TOP_K), {from}, with(values, indices, rest));
  }
  // to = the values of messages of top_k at their indices, and zero elsewhere.
  void scatter(Span to, Span values, Span indices, MessageOptions options = {}) {
    convoy_operation operation = make(CONVOY_OP_SCATTER);
    operation.sizes[0] = options.messages;
    emit(operation, with(values, indices, options.onto), {to});
  }
  // codes (kU8) and scales = `from` in few bits. rest = `from` minus the decoded message; it may be
  // `from` itself.
  void quantise(Span codes, Span scales, Span from, Coding coding, std::optional<Span> rest = {}) {
    emit(make_coding(CONVOY_OP_QUANTISE, coding), {from}, with(codes, scales, rest));
  }
  // to = the sum of the decoded messages of quantise.
  void dequantise(Span to, Span codes, Span scales, Coding coding, MessageOptions options = {}) {
    convoy_operation operation = make_coding(CONVOY_OP_DEQUANTISE, coding);
    operation.sizes[2] = options.messages;
    emit(operation, with(codes, scales, options.onto), {to});
  }
  // Operations that run once, before the first step of training or of a stage.
  template <typename Action>
  void prologue(Action action) {
    detail::accept(table_.section(table_.self, CONVOY_SECTION_PROLOGUE));
    action();
    detail::accept(table_.section(table_.self, CONVOY_SECTION_BODY));
  }
  // `action` writes a stage: training runs it from this step on, until a later stage begins.
  // Operations outside belong to the stage that begins with step 0. A prologue inside runs once,
  // before that step. Parameters, masters and persistent buffers keep their contents; gradients and
  // scratch do not: see concepts.md. A stage lasts for whole periods of its body.
  template <typename Action>
  void from_step(std::uint64_t step, Action action) {
    if (table_.stage == nullptr)
      refuse("this convoy knows no plans that change during training; update convoy");
    const std::uint64_t outside = std::exchange(stage_, step);
    detail::accept(table_.stage(table_.self, step));
    action();
    detail::accept(table_.stage(table_.self, stage_ = outside));
  }
  // For operations that the functions above do not cover. The caller sets struct_size, place and
  // replica.
  void emit(convoy_operation operation, const std::vector<Span>& reads,
            const std::vector<Span>& writes) {
    submit(operation, reads, writes);
  }

 private:
  void submit(convoy_operation operation, std::span<const Span> reads,
              std::span<const Span> writes) {
    operation.reads = reads.data();
    operation.read_count = reads.size();
    operation.writes = writes.data();
    operation.write_count = writes.size();
    if (operation.priority == 0) operation.priority = priority_;
    detail::accept(table_.emit(table_.self, &operation));
  }
  // Older versions of convoy know only which replicas share a host.
  std::optional<std::uint32_t> group_of(Sharing what, ReplicaId replica) const {
    if (table_.group == nullptr) {
      if (what != Sharing::kHost) return std::nullopt;
      return place(replica_place(replica)).host;
    }
    std::uint32_t number = 0;
    detail::accept(
        table_.group(table_.self, static_cast<std::uint32_t>(what), replica.index(), &number));
    return known<std::uint32_t>(number);
  }
  Options options() const { return {host_, context_}; }
  static convoy_operation make(std::uint32_t kind, double scalar = 0) {
    convoy_operation operation;
    std::memset(&operation, 0, sizeof(operation));
    operation.struct_size = sizeof(operation);
    operation.kind = kind;
    operation.place = CONVOY_NONE;
    operation.replica = CONVOY_NONE;
    operation.scalar = scalar;
    return operation;
  }
  static convoy_operation make_coding(std::uint32_t kind, Coding coding) {
    convoy_operation operation = make(kind);
    operation.sizes[0] = static_cast<std::uint64_t>(coding.code);
    operation.sizes[1] = coding.block;
    return operation;
  }
  static std::vector<Span> with(Span first, Span second, const std::optional<Span>& third) {
    std::vector<Span> spans{first, second};
    if (third) spans.push_back(*third);
    return spans;
  }
  static convoy_operation collective(std::uint32_t kind, CollectiveOptions options) {
    convoy_operation operation = make(kind);
    operation.algorithm = static_cast<std::uint32_t>(options.algorithm);
    operation.reduction = static_cast<std::uint32_t>(options.reduction);
    return operation;
  }
  template <typename Id>
  static std::vector<Id> ids(std::uint32_t count) {
    std::vector<Id> result;
    for (std::uint32_t i = 0; i < count; ++i) result.push_back(Id(i));
    return result;
  }
  template <typename Id>
  static std::optional<Id> known(std::uint32_t index) {
    return index == CONVOY_NONE ? std::nullopt : std::optional(Id(index));
  }
  Buffer declare(std::uint32_t kind, std::uint32_t owner, SetId set, Dtype dtype,
                 std::uint64_t count) {
    const bool is_arena = kind <= CONVOY_BUFFER_MASTER;
    const convoy_buffer description{kind, owner, set.index(), static_cast<std::uint32_t>(dtype),
                                    is_arena ? 0 : count};
    std::uint32_t id = 0;
    detail::accept(table_.buffer(table_.self, &description, &id));
    return {id, dtype, count};
  }

  convoy_planner table_;
  const convoy_host* host_;
  convoy_context* context_;
  convoy_cluster cluster_ = make_sized<convoy_cluster>();
  std::uint64_t priority_ = 0;  // of the operations that are written now
  std::uint64_t stage_ = 0;     // first step of the stage that is written now
};

}  // namespace convoy
