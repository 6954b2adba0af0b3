#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "core/plan/lower/lower.hpp"

namespace convoy::plan {

// A ring of 1,024 devices has 2 million operations for every bucket.
inline constexpr std::size_t kMaximumLoweredOperations = 8'000'000;

// The state of one lowering: the plan that grows, the staging buffers made so far, and the choices
// that every kind of operation shares (which engine runs it, what must be staged).
class Lowering {
 public:
  // `cluster`: see lower().
  Lowering(const Plan& logical, const Cluster& cluster, const LoweringOptions& options);

  const Plan& logical() const { return logical_; }
  const Cluster& cluster() const { return cluster_; }
  const LoweringOptions& options() const { return options_; }
  std::uint32_t place_of(const PlanSpan& span) const { return plan_.place_of(span); }
  bool is_host(std::uint32_t place) const;
  // The number of the host that the place belongs to.
  std::uint32_t host_of(std::uint32_t place) const;
  // Whether the network can access the place's memory directly: host memory, or memory shared with
  // the host.
  bool is_on_network(std::uint32_t place) const;
  bool can_access(std::uint32_t engine, std::uint32_t place) const;
  bool can_access_all(std::uint32_t engine, const Operation& operation) const;
  // Whether all of these engines can. The last answer is kept, because collectives between the same
  // devices ask again and again.
  bool all_can_access_all(const std::vector<std::uint32_t>& engines,
                          const Operation& operation) const;
  // Returns the engines that run a place's operations: the place itself, or the devices that serve
  // it.
  std::span<const std::uint32_t> engines(std::uint32_t place) const;

  // Appends an operation without changes.
  void emit(Operation operation, std::uint32_t engine, std::uint32_t lane);
  // Appends a collective that the devices of its spans run together. It runs on the lane of the
  // first of them in the cluster, so that all collectives of one group are in one lane.
  void emit_collective(const Operation& collective);
  // Runs an operation at a place. It is cut into slices over the engines that serve the place if
  // that is possible and worth it, with staging if an engine does not address a span. An update in
  // any order runs on the engine that wrote its read, so that no update waits for another worker's
  // device.
  void at_place(const Operation& operation, std::uint32_t place,
                std::uint32_t lane = CONVOY_LANE_UPDATE);
  // Runs an element-wise operation on one engine. Spans that the engine does not address are staged
  // in bounded pieces.
  void on_engine(const Operation& operation, std::uint32_t engine, std::uint32_t lane);
  // Copies between devices without peer access: out to the destination's host, then in.
  void copy_through_host(const Operation& copy);
  // Appends a copy between the memories of two hosts: one operation with two ends. The origin's
  // host sends, and the target's host receives. The operation's place is the target's host place.
  void emit_network_copy(Operation copy);
  enum class Passage { kFrom, kTo };
  // Returns the part of a bounded buffer at `place` through which the next piece of `count`
  // elements goes from or to `device`. Two pieces each way are in flight. The ways have buffers of
  // their own: else a message that arrives waits for one that leaves, whose receiver may wait
  // likewise, from host to host.
  PlanSpan passage(std::uint32_t place, Passage way, std::uint32_t device, std::uint32_t dtype,
                   std::uint64_t count);
  // Returns where at `place` the next `count` elements for `user` are stored until they are sent.
  // Pieces follow each other in two bounded buffers, so that many small pieces can be in flight.
  PlanSpan outbox(std::uint32_t place, std::uint32_t user, std::uint32_t dtype,
                  std::uint64_t count);
  // Returns a new buffer of f32 whose contents last for one period.
  PlanSpan scratch(std::uint32_t place, std::uint64_t count);

  // Operations appended from now on are parts of this operation. They get its priority, and staging
  // buffers that other priorities do not wait for.
  void begin(const Operation& logical) { priority_ = logical.priority; }
  void begin_body() { in_body_ = true; }
  // Makes room for this number of operations in the body.
  void reserve(std::size_t operations);
  // Error kUsage if a section cannot have this number of operations.
  static void require_room(std::size_t operations);
  Plan finish();

 private:
  std::uint32_t last_writer(const PlanSpan& span) const;
  void append(Operation&& operation);
  void copy_between(const Operation& like, const PlanSpan& to, const PlanSpan& from);
  bool stage(PlanSpan& span, std::uint32_t engine, std::uint32_t slot, std::uint64_t count);
  // Refuses an operation that works on memory which the engine cannot address, and that cannot be
  // cut into pieces.
  [[noreturn]] void refuse_remote(const Operation& operation, std::uint32_t engine) const;
  void staged(const Operation& operation, std::uint32_t engine, std::uint32_t lane);
  std::uint64_t staging_key(std::uint32_t place, std::uint32_t slot, std::uint32_t dtype) const;
  PlanSpan staging(std::uint32_t place, std::uint32_t slot, std::uint32_t dtype,
                   std::uint64_t count);

  const Plan& logical_;
  const Cluster& cluster_;
  std::vector<std::uint32_t> places_;  // 0, 1, ...: each entry is a list of one place
  LoweringOptions options_;
  Plan plan_;
  bool in_body_ = false;
  std::uint8_t priority_ = 0;
  std::uint32_t next_id_ = 0;
  std::uint32_t turn_ = 0;  // the next engine of a shared place, for small operations
  std::unordered_map<std::uint64_t, std::uint32_t> staging_buffers_;  // by place, slot and dtype
  // The staging half that is next: per engine, then per engine for the passages from it.
  std::vector<std::uint32_t> parity_;
  std::vector<std::uint32_t> last_writers_;  // per buffer: the engine that wrote it last
  struct Access {
    std::vector<std::uint32_t> engines;
    std::vector<std::uint32_t> places;
    bool is_possible = true;
  };
  mutable Access access_;  // the last query and its answer
  struct Outbox {
    std::uint32_t half = 0;
    std::uint64_t used = 0;  // used elements of the half
  };
  std::unordered_map<std::uint64_t, Outbox> outboxes_;  // by place, user and dtype
};

// Cuts `count` elements into at most `pieces` slices at multiples of 16 elements (a cache line of
// f32), so that two engines never write to one line. Empty slices are left out.
std::vector<ElementRange> slices(std::uint64_t count, std::uint64_t pieces);

// Returns the operation restricted to elements [first, first + count) of all spans that it
// processes element by element.
Operation slice(const Operation& operation, std::uint64_t first, std::uint64_t count);

// Emits a slice of the operation for each of the owners, or the whole operation for one of them,
// which takes turns, if it has fewer than `least` elements.
void emit_slices(Lowering& lowering, const Operation& operation,
                 const std::vector<std::uint32_t>& owners, std::uint64_t least, std::uint32_t lane);

}  // namespace convoy::plan
