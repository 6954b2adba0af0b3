#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/plan/check/check.hpp"
#include "tests/plan/check/mutants.hpp"

namespace convoy::testing {

struct MutationTally {
  int mutants = 0;
  int unharmed = 0;  // still what it was, and the numbers agree
  int named = 0;     // wrong, with an operation
  int unnamed = 0;   // wrong, without one
  int relabelled = 0;
};

// How many there are to be: CONVOY_MUTANTS, or as many as usual.
int wanted_mutants(int usual);

// Which ones: CONVOY_TEST_SEED, or always the same ones.
std::uint32_t wanted_seed();

// Plants defects in plans, and asks the interpreter whether what the checker still calls right is.
class MutationRun {
 public:
  // So many mutants of each kind, as far as the plan has places for them.
  void run(const std::string& name, const plan::Plan& plan, int each);

  const std::map<MutationKind, MutationTally>& tallies() const { return tallies_; }
  MutationTally total() const;
  // Reports that the interpreter contradicts, with the mutants.
  const std::vector<std::string>& contradictions() const { return contradictions_; }
  // A line per kind.
  std::string text() const;

 private:
  void judge(const std::string& name, const plan::Plan& mutant, MutationKind kind,
             const plan::check::CheckReport& original);

  std::mt19937 random_{wanted_seed()};
  std::map<MutationKind, MutationTally> tallies_;
  std::vector<std::string> contradictions_;
};

}  // namespace convoy::testing
