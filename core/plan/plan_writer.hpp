#pragma once

#include <convoy/abi.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "core/base/process/large_pages.hpp"
#include "core/plan/digest.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/validate.hpp"

namespace convoy::plan {

// The host's side of convoy_planner: what a strategy calls while it writes a plan. Every operation
// is checked as it arrives (places, spans, dtypes, counts, flags); the first refusal ends planning
// with a text that names the operation. `cluster` and `arena` must outlive the plan.
//
// A writer that only listens gives the same answers, but neither checks nor stores operations. It
// is for the second writing, which only has to be compared with the first.
class PlanWriter {
 public:
  // Each limit is about a gigabyte of plan.
  static constexpr std::uint64_t kMaximumOperations = 4'000'000;
  static constexpr std::uint64_t kMaximumSpansInAll = 40'000'000;
  enum class Purpose { kWrite, kListen };

  PlanWriter(const Cluster& cluster, const ArenaMap& arena, Purpose purpose = Purpose::kWrite);
  PlanWriter(const PlanWriter&) = delete;
  PlanWriter& operator=(const PlanWriter&) = delete;

  const convoy_planner* table() const { return &table_; }
  // Why the last call was refused; empty when none was.
  const std::string& error() const { return error_; }
  // Whether the reason was that the plan has more operations or spans than the host accepts.
  bool is_too_large() const { return too_large_; }
  // A hash of everything that the strategy has declared and emitted, in the order in which it did
  // so.
  std::uint64_t digest() const { return digest_.value(); }
  std::uint64_t operations() const { return operations_; }
  // Reserves memory, because plans for many hosts are too large to be moved each time they double.
  void expect(std::uint64_t operations) { reserve_large(plan_.body, operations); }
  // The finished plan: ids assigned, computes counted. Error kFailed as require_stages().
  Plan finish();

 private:
  static int32_t get_cluster(void* self, convoy_cluster* out);
  static int32_t get_place(void* self, uint32_t index, convoy_place* out);
  static int32_t get_replica_place(void* self, uint32_t replica, uint32_t* place);
  static int32_t get_route(void* self, uint32_t from, uint32_t to, convoy_route* out);
  static int32_t get_variable(void* self, uint32_t index, convoy_variable* out);
  static int32_t get_bucket(void* self, uint32_t index, convoy_range* out);
  static int32_t declare_buffer(void* self, const convoy_buffer* description, uint32_t* id);
  static int32_t name_buffer(void* self, uint32_t id, const char* name);
  static int32_t set_section(void* self, uint32_t section);
  static int32_t emit(void* self, const convoy_operation* operation);
  static int32_t get_group(void* self, uint32_t sharing, uint32_t replica, uint32_t* number);
  static int32_t set_stage(void* self, uint64_t first_step);

  // Runs an action that may throw Error; turns the Error into a status and keeps its text.
  template <typename Action>
  int32_t guarded(Action action) noexcept;

  std::uint32_t add_buffer(const convoy_buffer& description);
  void count(const convoy_operation& operation);
  const convoy_operation& read(const convoy_operation& operation, convoy_operation& room) const;
  void keep(const convoy_operation& operation);
  Operation accept(const convoy_operation& operation) const;
  void share_details(Operation& operation);

  const Cluster& cluster_;
  const ArenaMap& arena_;
  Purpose purpose_;
  convoy_planner table_{};
  std::string error_;
  bool too_large_ = false;
  Digest digest_;
  std::uint64_t operations_ = 0;
  std::uint64_t spans_ = 0;  // spans of all operations
  Plan plan_;
  std::map<std::uint64_t, PlanStage> later_;  // by first step
  PlanStage* stage_ = nullptr;                // the stage that is being written; null: the first
                                              // one
  std::uint32_t section_ = CONVOY_SECTION_BODY;
  std::array<Rare<OperationDetails>, 8> recent_details_;  // all of them different
  std::size_t oldest_details_ = 0;
  // By kind and set, then by owner.
  std::array<std::vector<std::uint32_t>, (CONVOY_BUFFER_MASTER + 1) * CONVOY_SETS> named_buffers_;
};

}  // namespace convoy::plan
