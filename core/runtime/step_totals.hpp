#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/runtime/executor.hpp"
#include "core/runtime/network/peers.hpp"

namespace convoy::runtime {

// The totals of a finished step: first of this host, then of all hosts.
struct StepTotals {
  double loss = 0;  // sum over replicas, without the L2 term
  std::uint64_t replicas = 0;
  std::uint64_t images = 0;
  std::uint64_t hits[2] = {0, 0};            // top-1, top-5
  std::optional<double> square_sum;          // as in StepResult
  std::vector<double> gradient_square_sums;  // likewise
  std::optional<double> loss_scale;          // likewise
  bool stops = false;                        // a host wants the run to end
  bool saves = false;                        // a host asks for a checkpoint

  double mean_loss() const { return replicas == 0 ? 0 : loss / static_cast<double>(replicas); }
};

// Returns the totals of this host's replicas, which had `images` images together.
StepTotals local_totals(const StepResult& result, const std::vector<std::uint32_t>& replicas,
                        std::int64_t images);

// The sums over all hosts. Each host calls it once per finished step, and all get the same bits.
// Error kTimeout when a host is lost.
StepTotals totals_of_all(const StepTotals& own, Peers& peers);

}  // namespace convoy::runtime
