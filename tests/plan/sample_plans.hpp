#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/plan/sample_models.hpp"

namespace convoy::testing {

struct SamplePlan {
  std::string name;
  WritePlan write;
  // The trajectory is that of one apply per step with the mean of all replicas' gradients.
  bool synchronous = true;
};

// One way each of sharing variables and gradients, correct for every number of replicas.
std::vector<SamplePlan> sample_plans();

// Masters on the host, one bucket after the other.
void write_parameter_server(Planner& planner);
// Master and sum of bucket b on the device of replica b mod n.
void write_sharded_server(Planner& planner);
// Gradients summed with all_reduce, every replica applies to its own parameters.
WritePlan write_replicated(Algorithm algorithm);
// As replicated, but summed on one device per bucket and copied back.
void write_copy_reduce(Planner& planner);
// reduce_scatter, each replica applies its piece, all_gather of the parameters.
void write_scattered(Planner& planner);
// A ring of sums and copies written out by hand.
void write_ring(Planner& planner);
// Every replica divides its gradient by n before summing; apply divides no more.
void write_prescaled(Planner& planner);
// Every replica on its own.
void write_independent(Planner& planner);
// Parameters are put into the other set while computing on this one; gradients wait one step.
void write_staged(Planner& planner);
// Sums wait one step in a persistent buffer.
void write_deferred(Planner& planner);
// One apply for two computes.
void write_accumulating(Planner& planner);
// The master applies every replica's gradient by itself, one after the other.
void write_sequential(Planner& planner);
// Every replica in turn reads the master, computes, and has its gradient applied to it.
void write_in_turns(Planner& planner);
// Every replica computes twice, and then all gradients are applied at once; written replica by
// replica.
void write_by_replica(Planner& planner);
// Forward may read old parameters, applies come in any order.
void write_asynchronous(Planner& planner);
// Every replica reads the master without its last `max_lag` updates or so, on several hosts by the
// network, and the master applies gradients in any order.
WritePlan write_lagging(std::uint64_t max_lag);
// Gradients travel as 16-bit floats.
void write_compressed(Planner& planner);
// PowerSGD of this rank for one matrix. `spoil` may change the product that becomes the basis.
void write_low_rank(Planner& p, Range range, MatrixShape of, std::uint64_t rank,
                    const std::function<void(Span product, ReplicaId)>& spoil = {});

}  // namespace convoy::testing
