#pragma once

// What a strategy writes its plan with: the cluster, the model, and operations on names for memory.

#include <convoy/abi.h>
#include <convoy/spans.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace convoy {

namespace detail {
struct HostRefused {};            // the host returned an error and keeps its text
struct Refused : HostRefused {};  // the strategy itself refuses, and the host keeps its text
inline void accept(int32_t status) {
  if (status != 0) throw HostRefused{};
}
}  // namespace detail

struct CollectiveOptions {
  std::uint32_t algorithm = CONVOY_ALGORITHM_DEVICE;
  std::uint32_t reduction = CONVOY_REDUCE_SUM;
};

struct CopyOptions {
  bool relaxed = false;                      // what is read may lag
  std::uint64_t max_lag = CONVOY_UNBOUNDED;  // in steps, when relaxed
};

struct ApplyOptions {
  std::uint64_t contributions = 0;  // replica gradients in the sum; 0 = one per replica
  bool any_order = false;           // commutes with other such updates of the same elements
};

struct ComputeOptions {
  std::uint32_t parameters_set = 0;
  std::uint32_t gradients_set = 0;
  bool relaxed = false;                      // parameters may lag
  std::uint64_t max_lag = CONVOY_UNBOUNDED;  // in steps, when relaxed
};

struct CallOptions {
  std::uint64_t bytes = 0;
  std::uint64_t flops = 0;
};

class Planner {
 public:
  Planner(const convoy_planner* table, const convoy_host* host, convoy_context* context)
      : table_(table), host_(host), context_(context) {
    cluster_.struct_size = sizeof(cluster_);
    detail::accept(table_->cluster(table_->self, &cluster_));
  }

  // --- the cluster
  std::uint32_t replica_count() const { return cluster_.replicas; }
  // 0, 1, ... replica_count() - 1, for loops.
  std::vector<std::uint32_t> replicas() const {
    std::vector<std::uint32_t> result(cluster_.replicas);
    std::iota(result.begin(), result.end(), std::uint32_t{0});
    return result;
  }
  std::uint32_t place_count() const { return cluster_.places; }
  convoy_place place(std::uint32_t index) const {
    convoy_place out{};
    out.struct_size = sizeof(out);
    detail::accept(table_->place(table_->self, index, &out));
    return out;
  }
  std::uint32_t replica_place(std::uint32_t replica) const {
    std::uint32_t out = 0;
    detail::accept(table_->replica_place(table_->self, replica, &out));
    return out;
  }
  std::uint32_t host_place(std::uint32_t replica) const {
    return place(replica_place(replica)).near_place;
  }
  convoy_route route(std::uint32_t from, std::uint32_t to) const {
    convoy_route out{};
    out.struct_size = sizeof(out);
    detail::accept(table_->route(table_->self, from, to, &out));
    return out;
  }

  // --- the model: variables and host-made buckets, both in arena order
  std::uint64_t arena_elements() const { return cluster_.arena_elements; }
  Range arena() const { return {0, cluster_.arena_elements}; }
  std::uint32_t variable_count() const { return cluster_.variables; }
  convoy_variable variable(std::uint32_t index) const {
    convoy_variable out{};
    out.struct_size = sizeof(out);
    detail::accept(table_->variable(table_->self, index, &out));
    return out;
  }
  std::vector<Range> buckets() const {
    std::vector<Range> result(cluster_.buckets);
    for (std::uint32_t i = 0; i < cluster_.buckets; ++i)
      detail::accept(table_->bucket(table_->self, i, &result[i]));
    return result;
  }

  // --- options that the manifest declares
  std::string option(const char* name) const {
    const char* value = host_->option(context_, name);
    return value == nullptr ? std::string() : std::string(value);
  }
  bool flag(const char* name) const { return option(name) == "true"; }
  // Options of type int; 0 when the manifest gives no default.
  std::int64_t integer(const char* name) const {
    const std::string value = option(name);
    return value.empty() ? 0 : std::stoll(value);
  }
  // These options, or this cluster, are nothing for the strategy: say which value, why and what to
  // do. Throwing std::invalid_argument does the same.
  [[noreturn]] void refuse(const std::string& reason) const {
    host_->set_error(context_, reason.c_str());
    throw detail::Refused{};
  }

  // --- memory
  Buffer parameters(std::uint32_t replica, std::uint32_t set = 0) {
    return declare(CONVOY_BUFFER_PARAMETERS, replica, set, CONVOY_F32, arena_elements());
  }
  Buffer gradient(std::uint32_t replica, std::uint32_t set = 0) {
    return declare(CONVOY_BUFFER_GRADIENT, replica, set, CONVOY_F32, arena_elements());
  }
  Buffer master(std::uint32_t place) {
    return declare(CONVOY_BUFFER_MASTER, place, 0, CONVOY_F32, arena_elements());
  }
  Buffer scratch(std::uint32_t place, std::uint64_t count, std::uint32_t dtype = CONVOY_F32) {
    return declare(CONVOY_BUFFER_SCRATCH, place, 0, dtype, count);
  }
  Buffer persistent(std::uint32_t place, std::uint64_t count, std::uint32_t dtype = CONVOY_F32) {
    return declare(CONVOY_BUFFER_PERSISTENT, place, 0, dtype, count);
  }
  // One span of every replica's gradient (or parameters).
  std::vector<Span> gradients(Range range, std::uint32_t set = 0) {
    std::vector<Span> result;
    for (std::uint32_t r : replicas()) result.push_back(gradient(r, set)[range]);
    return result;
  }
  std::vector<Span> all_parameters(Range range, std::uint32_t set = 0) {
    std::vector<Span> result;
    for (std::uint32_t r : replicas()) result.push_back(parameters(r, set)[range]);
    return result;
  }

  // --- operations, in program order
  void copy(Span to, Span from, CopyOptions options = {}) {
    convoy_operation operation = make(CONVOY_OP_COPY);
    if (options.relaxed) {
      operation.flags = CONVOY_OP_RELAXED_READS;
      operation.max_lag = options.max_lag;
    }
    submit(operation, {&from, 1}, {&to, 1});
  }
  void fill(Span to, double value) { submit(make(CONVOY_OP_FILL, value), {}, {&to, 1}); }
  void add(Span to, Span a, Span b) { emit(make(CONVOY_OP_ADD), {a, b}, {to}); }
  void scale(Span to, Span from, double by) {
    submit(make(CONVOY_OP_SCALE, by), {&from, 1}, {&to, 1});
  }
  void axpy(Span to, double a, Span x, Span y) { emit(make(CONVOY_OP_AXPY, a), {x, y}, {to}); }
  void cast(Span to, Span from) { submit(make(CONVOY_OP_CAST), {&from, 1}, {&to, 1}); }
  void sum(Span to, const std::vector<Span>& from) { submit(make(CONVOY_OP_SUM), from, {&to, 1}); }
  void matmul(Span to, Span a, Span b, std::uint64_t m, std::uint64_t n, std::uint64_t k) {
    convoy_operation operation = make(CONVOY_OP_MATMUL);
    operation.sizes[0] = m;
    operation.sizes[1] = n;
    operation.sizes[2] = k;
    emit(operation, {a, b}, {to});
  }
  void all_reduce(const std::vector<Span>& spans, CollectiveOptions options = {}) {
    emit(collective(CONVOY_OP_ALL_REDUCE, options), spans, spans);
  }
  void reduce_scatter(const std::vector<Span>& pieces, const std::vector<Span>& from,
                      CollectiveOptions options = {}) {
    emit(collective(CONVOY_OP_REDUCE_SCATTER, options), from, pieces);
  }
  void all_gather(const std::vector<Span>& to, const std::vector<Span>& pieces,
                  CollectiveOptions options = {}) {
    emit(collective(CONVOY_OP_ALL_GATHER, options), pieces, to);
  }
  void broadcast(const std::vector<Span>& to, Span from, CollectiveOptions options = {}) {
    emit(collective(CONVOY_OP_BROADCAST, options), {from}, to);
  }
  void reduce(Span to, const std::vector<Span>& from, CollectiveOptions options = {}) {
    emit(collective(CONVOY_OP_REDUCE, options), from, {to});
  }
  // The configured optimizer on a range of a master, or of a replica's own parameters. The host
  // divides the sum by its contributions and adds weight decay, clipping and the learning rate.
  void apply(Span parameters, Span gradient_sum, ApplyOptions options = {}) {
    convoy_operation operation = make(CONVOY_OP_APPLY);
    operation.contributions = options.contributions;
    if (options.any_order) operation.flags = CONVOY_OP_ANY_ORDER;
    submit(operation, {&gradient_sum, 1}, {&parameters, 1});
  }
  // The plug-in's own kernel (Strategy::host_kernel) at a place.
  void call(const char* kernel, std::uint32_t place, const std::vector<Span>& reads,
            const std::vector<Span>& writes, CallOptions options = {}) {
    convoy_operation operation = make(CONVOY_OP_CALL);
    operation.kernel = kernel;
    operation.place = place;
    operation.bytes = options.bytes;
    operation.flops = options.flops;
    emit(operation, reads, writes);
  }
  // Forward and backward of one replica, all layers.
  void compute_replica(std::uint32_t replica, ComputeOptions options = {}) {
    convoy_operation operation = make(CONVOY_OP_FORWARD);
    operation.replica = replica;
    if (options.relaxed) {
      operation.flags = CONVOY_OP_RELAXED_READS;
      operation.max_lag = options.max_lag;
    }
    const Span read = parameters(replica, options.parameters_set);
    submit(operation, {&read, 1}, {});
    operation.kind = CONVOY_OP_BACKWARD;
    const Span written = gradient(replica, options.gradients_set);
    submit(operation, {&read, 1}, {&written, 1});
  }
  // Forward and backward of every replica.
  void compute(ComputeOptions options = {}) {
    for (std::uint32_t r : replicas()) compute_replica(r, options);
  }
  // Operations that run once, before the first step.
  template <typename Action>
  void prologue(Action action) {
    detail::accept(table_->section(table_->self, CONVOY_SECTION_PROLOGUE));
    action();
    detail::accept(table_->section(table_->self, CONVOY_SECTION_BODY));
  }
  // For what the functions above do not cover.
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
    detail::accept(table_->emit(table_->self, &operation));
  }
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
  static convoy_operation collective(std::uint32_t kind, CollectiveOptions options) {
    convoy_operation operation = make(kind);
    operation.algorithm = options.algorithm;
    operation.reduction = options.reduction;
    return operation;
  }
  Buffer declare(std::uint32_t kind, std::uint32_t owner, std::uint32_t set, std::uint32_t dtype,
                 std::uint64_t count) {
    const convoy_buffer description{kind, owner, set, dtype, count};
    std::uint32_t id = 0;
    detail::accept(table_->buffer(table_->self, &description, &id));
    return {id, dtype, count};
  }

  const convoy_planner* table_;
  const convoy_host* host_;
  convoy_context* context_;
  convoy_cluster cluster_{};
};

}  // namespace convoy
