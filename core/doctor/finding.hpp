#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace convoy::doctor {

enum class Health { kOk, kWarn, kFail, kUnknown };

std::string_view health_name(Health health);

// One line of the report: what was looked at, how it is, and what to do about it.
struct Finding {
  std::string subject;  // "memory limit"
  Health health = Health::kUnknown;
  std::string text;    // what is there, with units
  std::string advice;  // empty when nothing is to be done
};

using Findings = std::vector<Finding>;

bool any_failed(const Findings& findings);

// "ok", "warn", "fail" or "unknown", subject and text in columns; advice on a line of its own.
void print_findings(std::ostream& out, const Findings& findings);

// {"healthy": ..., "findings": [{"subject", "health", "text", "advice"}, ...]}.
void print_findings_json(std::ostream& out, const Findings& findings);

}  // namespace convoy::doctor
