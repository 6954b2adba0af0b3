// One mistake shows in dozens of plans of a check and is told once.

#include "core/cli/verbs/check/shared_findings.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace convoy::cli {
namespace {

plan::check::CheckReport report_of(const std::vector<std::string>& texts) {
  plan::check::CheckReport report;
  for (const std::string& text : texts)
    report.findings.push_back({plan::check::FindingKind::kMissing, 0, 0, {}, text});
  return report;
}

std::string printed(const SharedFindings& findings) {
  std::ostringstream out;
  findings.print(out);
  return out.str();
}

TEST(SharedFindings, OneOfSeveralPlansIsPrintedOnce) {
  SharedFindings findings;
  findings.add("2 devices, one bucket", report_of({"a gradient", "a gradient"}));
  findings.add("2 devices, ragged buckets", report_of({"a gradient", "another"}));
  EXPECT_EQ(printed(findings),
            "missing: a gradient\n       in 2 devices, one bucket; 2 devices, ragged buckets\n"
            "missing: another\n       in 2 devices, ragged buckets\n");
}

TEST(SharedFindings, ManyPlansAreCounted) {
  SharedFindings findings;
  for (int devices = 1; devices <= 8; ++devices)
    findings.add(fmt::format("{} devices", devices), report_of({"it"}));
  EXPECT_EQ(printed(findings),
            "missing: it\n       in 1 devices; 2 devices; 3 devices; and 5 other plans\n");
}

TEST(SharedFindings, AreFew) {
  SharedFindings findings;
  for (int plan = 0; plan < 49; ++plan) {
    std::vector<std::string> texts;
    texts.reserve(20);
    for (int i = 0; i < 20; ++i) texts.push_back(fmt::format("{} of {}", i, plan));
    findings.add(fmt::format("plan {}", plan), report_of(texts));
  }
  const std::string text = printed(findings);
  EXPECT_LE(std::ranges::count(text, '\n'), 33) << text;
  EXPECT_NE(text.find("and 12 more in one plan"), std::string::npos) << text;
  EXPECT_NE(text.find("more findings; --num_devices"), std::string::npos) << text;
}

TEST(SharedFindings, NothingFoundPrintsNothing) {
  SharedFindings findings;
  findings.add("a plan", plan::check::CheckReport());
  EXPECT_EQ(printed(findings), "");
}

}  // namespace
}  // namespace convoy::cli
