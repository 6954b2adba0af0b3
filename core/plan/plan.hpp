#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/arena_map.hpp"
#include "core/plan/cluster.hpp"
#include "core/plan/operation.hpp"
#include "core/plan/rare.hpp"

namespace convoy::plan {

struct PlanBuffer {
  std::uint32_t kind = 0;   // convoy_buffer_kind
  std::uint32_t owner = 0;  // replica or place, depending on the kind
  std::uint32_t set = 0;
  std::uint32_t dtype = CONVOY_F32;
  std::uint64_t count = 0;
  std::uint32_t place = 0;      // the place of its memory
  Rare<std::string> name = {};  // for people; empty if its author gave it none

  // Whether this is a replica's parameters or a master, which begin with the model's values.
  bool is_of_model() const {
    return kind == CONVOY_BUFFER_PARAMETERS || kind == CONVOY_BUFFER_MASTER;
  }
};

// A later part of training: its prologue runs once before `first_step`, and its body repeats from
// there on. Operations are numbered within the stage, after those of the plan's prologue.
struct PlanStage {
  std::uint64_t first_step = 0;
  std::vector<Operation> prologue;
  std::vector<Operation> body;
  std::uint32_t computes = 0;
};

// One training step (or period of several) as data: the prologue runs once, the body repeats, until
// the first of the later stages begins, if there are any (core/plan/stages.hpp). Program order
// defines the meaning. `cluster` and `arena` are those for which it was written.
struct Plan {
  const Cluster* cluster = nullptr;
  const ArenaMap* arena = nullptr;
  std::vector<PlanBuffer> buffers;
  std::vector<Operation> prologue;
  std::vector<Operation> body;
  std::uint32_t computes = 0;         // forward and backward passes of every replica in one body
  std::vector<PlanStage> later = {};  // by their first steps, ascending; over the same buffers

  // The place of the span's memory, and its host.
  std::uint32_t place_of(const PlanSpan& span) const { return buffers[span.buffer].place; }
  std::uint32_t host_of(const PlanSpan& span) const { return cluster->places[place_of(span)].host; }

  // Returns a name for messages: "parameters(1)", "gradient(0, set 1)", "master(host:0)", "buffer 7
  // (cpu:0)".
  std::string buffer_name(std::uint32_t buffer) const;
  // Returns a name for messages: "gradient(0)[16..48)".
  std::string span_name(const PlanSpan& span) const;
};

// Numbers the operations of the prologue, then of the body, from 0; not those of later stages.
void number_operations(Plan& plan);

// A 64-bit digest of everything that the plan does; equal on all hosts with the same plan.
std::uint64_t plan_hash(const Plan& plan);

}  // namespace convoy::plan
