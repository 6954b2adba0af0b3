#include "core/cli/verbs/check/shared_findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <span>

#include "core/base/text/counted.hpp"

namespace convoy::cli {
namespace {

constexpr std::size_t kOfAPlan = 8;  // for each plan, because one mistake shows in many operations
// For all plans, because plans for more devices name other operations.
constexpr std::size_t kInAll = 16;
constexpr std::size_t kNamedPlans = 3;

std::string plans_text(const std::vector<std::string>& plans) {
  const std::size_t named = std::min(plans.size(), kNamedPlans);
  const std::size_t others = plans.size() - named;
  return fmt::format("{}{}", fmt::join(std::span(plans).first(named), "; "),
                     others == 0 ? "" : fmt::format("; and {}", counted(others, "other plan")));
}

}  // namespace

void SharedFindings::add(const std::string& plan, const plan::check::CheckReport& report) {
  const std::vector<plan::check::Finding>& findings = report.findings;
  for (std::size_t i = 0; i < findings.size() && i < kOfAPlan; ++i)
    add_line(plan,
             fmt::format("{}: {}", plan::check::finding_name(findings[i].kind), findings[i].text));
  if (findings.size() > kOfAPlan)
    add_line(plan, fmt::format("and {} more in one plan", findings.size() - kOfAPlan));
}

void SharedFindings::add_line(const std::string& plan, const std::string& text) {
  auto known = std::ranges::find(entries_, text, &Entry::text);
  if (known == entries_.end()) known = entries_.insert(known, {text, {}});
  // A plan may have the same finding twice, for two operations with the same description.
  if (known->plans.empty() || known->plans.back() != plan) known->plans.push_back(plan);
}

void SharedFindings::print(std::ostream& out) const {
  for (std::size_t i = 0; i < entries_.size() && i < kInAll; ++i)
    out << fmt::format("{}\n       in {}\n", entries_[i].text, plans_text(entries_[i].plans));
  if (entries_.size() > kInAll)
    out << fmt::format("and {}; --num_devices chooses fewer plans\n",
                       counted(entries_.size() - kInAll, "more finding"));
}

}  // namespace convoy::cli
