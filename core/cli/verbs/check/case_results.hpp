#pragma once

#include <array>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "core/cli/flags/flag_table.hpp"
#include "core/conformance/conformance.hpp"
#include "core/plugin/manifest.hpp"

namespace convoy::cli {

// Prints the results of the cases of a conformance test, one line each, followed by its errors.
class CaseResults {
 public:
  // only: a text that the group and name of a case must contain.
  CaseResults(std::string only, std::ostream& out) : only_(std::move(only)), out_(out) {}

  bool wants(const std::string& label) const { return label.find(only_) != std::string::npos; }
  // The label is printed before the case runs, so that a crash shows where it was.
  conformance::Outcome add(const std::string& label,
                           const std::function<conformance::CaseResult()>& run);
  // Prints the last lines. Returns kOk if at least one case is right and none is wrong, else
  // kFailed. Error kUsage if no case matches `only`.
  int conclude(const std::string& plugin);

 private:
  std::string only_;
  std::ostream& out_;
  std::array<int, 3> counts_{};  // indexed by Outcome
};

// Returns the flags of a conformance test, as a group of the help. `such_as` gives examples of
// parts of cases' names.
std::vector<FlagDefinition> case_flags(const std::string& group, const std::string& such_as);
// Returns a table of these flags and the plug-in's options.
FlagTable case_table(std::vector<FlagDefinition> flags, const plugin::Manifest& manifest);

}  // namespace convoy::cli
