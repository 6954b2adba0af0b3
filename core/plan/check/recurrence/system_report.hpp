#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/plan/check/check.hpp"
#include "core/plan/check/recurrence/period_map.hpp"
#include "core/plan/check/recurrence/recurrence.hpp"

namespace convoy::plan::check {

struct SystemFinding {
  FindingKind kind = FindingKind::kUnknown;
  std::uint32_t operation = CONVOY_NONE;
  std::uint32_t replica = CONVOY_NONE;
  ElementRange range{};
  std::string what;
};

// The final weights of errors in what one replica reads.
struct ReadNoise {
  std::uint32_t replica = 0;
  std::uint32_t operation = CONVOY_NONE;
  ElementRange range{};
  std::vector<std::pair<AtomId, std::uint64_t>> weights;
};

// What the judgement of one linear system has shown.
struct SystemReport : GradientCounts {
  std::vector<SystemFinding> findings;
  bool alone = false;       // every replica's gradient reaches that replica only
  std::uint64_t total = 1;  // `counts` as an element of the field
  // If the period seems to end with a mean of the parameters at several points: their number; else
  // 0.
  std::uint64_t averaged_over = 0;
  // How often gradients of each compute count, if the only finding is a momentum that begins anew
  // in every period; else empty.
  std::vector<std::uint64_t> restarts;
  std::vector<ReadNoise> noise;
};

}  // namespace convoy::plan::check
