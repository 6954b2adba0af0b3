#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/plan/check/check.hpp"
#include "core/plan/check/symbolic/values.hpp"

namespace convoy::plan::check {

// How often the gradients of a period count in the end, in all parameters or in one linear system.
struct GradientCounts {
  double counts = 1;             // how often a gradient counts, at most; 1: as in a mean
  double least = 1;              // how often a gradient counts, at least
  std::string uneven_because;    // why gradients of different computes count differently, in words
  std::uint64_t means_over = 1;  // the largest number of computes over which an update takes the
                                 // mean
  // If updates take means over different numbers of computes: the number of each update of a
  // period, in order. Otherwise empty.
  std::vector<std::uint64_t> uneven_means;
  bool by_itself = false;         // gradients are applied one by one; an undivided gradient counts
                                  // once
  bool counts_once = false;       // exactly 1
  bool loses = false;             // errors of rounding or compression have a final weight
  std::uint64_t delay = 0;        // periods until all gradients of a period have arrived somewhere
  std::set<std::string> factors;  // operations that multiply gradients by factors that only the run
                                  // knows
};

// The result for a plan whose state never repeats: residuals, the plan's own momentum, moving
// averages, or parameters that are pulled to each other.
struct Recurrence : GradientCounts {
  Verdict verdict = Verdict::kUnproved;  // or kApproximate, kIndependent, kWrong
  bool by_rate = false;       // counts include the learning rate of an apply to differences of
                              // parameters
  bool nothing_lost = false;  // counts_once, and nothing is rounded or compressed
  bool restarts = false;      // kUnproved only because a momentum begins anew in every period
  std::vector<std::string> kernels;  // kernels whose declarations were trusted
  // Kernels that must make other columns in every step, and whether they use only the step's
  // number.
  std::map<std::string, bool> renewed_by;
  std::vector<Finding> findings;  // for kWrong and kUnproved
};

// Judges one period from any state as a linear map x' = Ax + Bg + Ce + Dy (see LinearSystem). It
// starts with what the prologue leaves. The rules are:
// - without gradients the parameters must not change: A keeps the start, and every forward reads 1
//   times the parameters;
// - A must converge, so that every gradient has a final weight in what every forward reads, and all
//   weights must be equal;
// - an error of a cast or of a declared kernel is lost unless its final weight is 0.
// Quotients of push-sum count as multiples of their sums (push_sum.hpp).
// With kernels that declare nothing there is no final weight. Then it is proved that a sum over the
// states is conserved, whatever these kernels write, in which every gradient counts alike. The plan
// stays unproved, because only a declaration says that the kernels pass on what they read.
// Throws OverBudget.
Recurrence judge_recurrence(const Plan& plan, Budget& budget);

}  // namespace convoy::plan::check
