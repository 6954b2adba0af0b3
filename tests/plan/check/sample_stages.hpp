#pragma once

#include <vector>

#include "tests/plan/sample_models.hpp"

namespace convoy::testing {

// What the stages of a plan are made of.

// One all_reduce and an update of every replica.
void write_together(Planner& p);
// All replicas take their own steps.
void train_alone(Planner& p, int steps);
// All replicas get the mean of what they have come to.
void average(Planner& p);
// A persistent buffer for every replica.
std::vector<Buffer> residuals(Planner& p);
// So many steps, whose gradients are scattered: each replica's piece of them is added to its sum.
void add_steps_to_shards(Planner& p, int steps, const std::vector<Range>& pieces,
                         const std::vector<Span>& sums);
// Error feedback: the rest of what 16 bits cannot hold waits in `residuals`.
void compress(Planner& p, const std::vector<Buffer>& residuals);

struct SampleStages {
  const char* name;
  WritePlan write;
};
// Right ways to change in training; stages begin with the first six steps.
std::vector<SampleStages> sample_stages();

}  // namespace convoy::testing
