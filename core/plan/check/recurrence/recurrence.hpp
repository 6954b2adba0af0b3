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
  double counts = 1;             // how often every gradient counts, at most; 1: as in a mean
  double least = 1;              // and at least
  std::string uneven_because;    // why gradients of different computes count differently, in words
  std::uint64_t means_over = 1;  // the most computes of which an update takes the mean
  // If updates take means over different numbers of computes: the number of each update of a
  // period, in order. Otherwise empty.
  std::vector<std::uint64_t> uneven_means;
  bool by_itself = false;         // gradients are applied one by one, and undivided is once
  bool counts_once = false;       // exactly 1
  bool loses = false;             // errors, of rounding or compression, have a final weight
  std::uint64_t delay = 0;        // periods until all gradients of a period have arrived somewhere
  std::set<std::string> factors;  // operations that multiply gradients by factors of the run
};

// The result for a plan whose state never repeats: residuals, its own momentum, moving averages,
// parameters that are pulled to each other.
struct Recurrence : GradientCounts {
  Verdict verdict = Verdict::kUnproved;  // or kApproximate, kIndependent, kWrong
  bool by_rate = false;       // times the learning rate of an apply to differences of parameters
  bool nothing_lost = false;  // counts_once, and nothing is rounded or compressed
  bool restarts = false;      // kUnproved only for momentum that begins anew in every period
  std::vector<std::string> kernels;  // whose declarations were taken for granted
  // Kernels that must make other columns in every step, and whether from the step's number alone.
  std::map<std::string, bool> renewed_by;
  std::vector<Finding> findings;  // of kWrong and kUnproved
};

// Judges one period from any state as a linear map x' = Ax + Bg + Ce + Dy (see LinearSystem), with
// what the prologue leaves as its beginning:
// - without gradients the parameters stay what they are: A keeps the start, every forward reads 1
//   times the parameters;
// - A settles, so that every gradient has a final weight in what every forward reads, and all
//   weights are equal;
// - an error of a cast or of a declared kernel is lost unless its final weight is 0.
// Quotients of push-sum count as multiples of their sums (push_sum.hpp).
// With kernels that declare nothing there is no final weight; then it is proved that a sum over the
// states is conserved, whatever these kernels write, in which every gradient counts alike; the
// plan stays unproved, for only a declaration says that the kernels let out what they read.
// Throws OverBudget.
Recurrence judge_recurrence(const Plan& plan, Budget& budget);

}  // namespace convoy::plan::check
