#include "core/doctor/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text/json.hpp"

namespace convoy::doctor {

std::string_view health_name(Health health) {
  constexpr std::string_view kNames[] = {"ok", "warn", "fail", "unknown"};
  return kNames[static_cast<std::size_t>(health)];
}

bool any_failed(const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& it) { return it.health == Health::kFail; });
}

void print_findings(std::ostream& out, const Findings& findings) {
  std::size_t width = 0;
  std::size_t counts[4] = {0, 0, 0, 0};
  for (const Finding& it : findings) {
    width = std::max(width, it.subject.size());
    ++counts[static_cast<std::size_t>(it.health)];
  }
  for (const Finding& it : findings) {
    out << fmt::format("{:<8} {:<{}}  {}\n", health_name(it.health), it.subject, width, it.text);
    if (!it.advice.empty()) out << fmt::format("{:<8} {:<{}}  -> {}\n", "", "", width, it.advice);
  }
  out << fmt::format("{} ok, {} to improve, {} to repair, {} unknown\n", counts[0], counts[1],
                     counts[2], counts[3]);
}

void print_findings_json(std::ostream& out, const Findings& findings) {
  nlohmann::ordered_json document = {{"healthy", !any_failed(findings)},
                                     {"findings", nlohmann::ordered_json::array()}};
  for (const Finding& it : findings)
    document["findings"].push_back({{"subject", it.subject},
                                    {"health", health_name(it.health)},
                                    {"text", it.text},
                                    {"advice", it.advice}});
  out << json_text(document, 2) << '\n';
}

}  // namespace convoy::doctor
