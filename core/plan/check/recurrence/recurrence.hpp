#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/plan/check/check.hpp"
#include "core/plan/check/symbolic/values.hpp"

namespace convoy::check {

// The result for a plan whose state never repeats: residuals, its own momentum, moving averages,
// parameters that are pulled to each other.
struct Recurrence {
  Verdict verdict = Verdict::kUnproved;  // or kApproximate, kIndependent, kWrong
  double counts = 1;             // how often every gradient counts in the end; 1: as in a mean
  double least = 1;              // the same of the gradients that count least
  std::string uneven_because;    // as in ClassReport
  std::uint64_t means_over = 1;  // computes that the mean is taken over, at most
  std::vector<std::uint64_t> uneven_means;  // as in ClassReport
  bool by_itself = false;     // gradients are applied one by one, and undivided is once
  bool counts_once = false;   // exactly 1
  bool by_rate = false;       // times the learning rate of an apply to differences of parameters
  bool loses = false;         // something that is rounded or compressed
  bool nothing_lost = false;  // counts_once, and nothing of that kind is lost
  bool restarts = false;      // kUnproved only for momentum that begins anew in every period
  std::uint64_t delay = 0;    // periods until all gradients of a period have arrived somewhere
  std::vector<std::string> kernels;  // whose declarations were taken for granted
  std::set<std::string> factors;     // operations that multiply gradients by factors of the run
  std::vector<Finding> findings;     // of kWrong and kUnproved
};

// Judges one period from any state as a linear map x' = Ax + Bg + Ce + Dy (see PeriodClass), with
// what the prologue leaves as its beginning:
// - without gradients the parameters stay what they are: A keeps the start, every forward reads 1
//   times the parameters;
// - A settles, so that every gradient has a final weight in what every forward reads, and all
//   weights are equal;
// - an error of a cast or of a declared kernel is lost unless its final weight is 0.
// Quotients of push-sum count as multiples of their sums (share_ratios.hpp).
// With kernels that declare nothing there is no final weight; then it is proved that a sum over the
// states is conserved, whatever these kernels write, in which every gradient counts alike; the
// plan stays unproved, for only a declaration says that the kernels let out what they read.
// Throws OverBudget.
Recurrence judge_recurrence(const Plan& plan, Budget& budget);

}  // namespace convoy::check
