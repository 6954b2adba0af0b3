#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace convoy::doctor {

enum class Health { kOk, kWarn, kFail, kUnknown };

std::string_view health_name(Health health);

// One line of the report: the subject, its state, and advice.
struct Finding {
  std::string subject;  // "memory limit"
  Health health = Health::kUnknown;
  std::string text;    // the facts, with units
  std::string advice;  // empty if there is nothing to do
};

using Findings = std::vector<Finding>;

bool any_failed(const Findings& findings);

// Prints "ok", "warn", "fail" or "unknown", subject and text in columns. Advice has a line of its
// own.
void print_findings(std::ostream& out, const Findings& findings);

// Prints {"healthy": ..., "findings": [{"subject", "health", "text", "advice"}, ...]}.
void print_findings_json(std::ostream& out, const Findings& findings);

}  // namespace convoy::doctor
