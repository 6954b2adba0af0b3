#include "core/network/plan_agreement.hpp"

#include <gtest/gtest.h>

#include <future>

#include "tests/network/local_wire.hpp"

namespace convoy::network::plan_agreement_test {

// What each of the tasks says of its plan beside the others' ones.
std::vector<std::string> verdicts(const std::vector<std::vector<std::string>>& plans) {
  LocalWire wire;
  std::vector<std::future<std::string>> tasks;
  for (std::size_t index = 0; index < plans.size(); ++index)
    tasks.push_back(std::async(std::launch::async, [&, index]() -> std::string {
      ControlOptions options;
      options.identity.index = static_cast<int>(index);
      options.identity.workers = static_cast<int>(plans.size());
      options.identity.coordinator = HostPort{"127.0.0.1", 1};
      options.wire = &wire;
      ControlPlane control(options, {});
      try {
        agree_on_plan(control, plans[index]);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::kUnavailable);
        control.leave();
        return error.what();
      }
      control.leave();
      return "";
    }));
  std::vector<std::string> texts;
  texts.reserve(tasks.size());
  for (auto& task : tasks) texts.push_back(task.get());
  return texts;
}

std::vector<std::string> plan_of(int operations) {
  std::vector<std::string> plan;
  plan.reserve(operations);
  for (int i = 0; i < operations; ++i) plan.push_back("copy " + std::to_string(i));
  return plan;
}

TEST(PlanAgreement, EqualPlansAreFine) {
  EXPECT_EQ(verdicts({plan_of(100), plan_of(100)}), (std::vector<std::string>{"", ""}));
}

TEST(PlanAgreement, NamesTheFirstOperationThatDiffers) {
  for (const int changed : {0, 41, 99}) {
    auto other = plan_of(100);
    other[static_cast<std::size_t>(changed)] = "sum";
    other[99] = "sum";
    const auto texts = verdicts({plan_of(100), plan_of(100), other});
    EXPECT_NE(texts[0].find("worker 2 ("), std::string::npos) << texts[0];
    EXPECT_NE(texts[0].find("than worker 0 ("), std::string::npos) << texts[0];
    EXPECT_NE(texts[0].find("operation " + std::to_string(changed) + " is 'sum' there and 'copy " +
                            std::to_string(changed) + "' on the chief"),
              std::string::npos)
        << texts[0];
    EXPECT_EQ(texts[1], texts[0]);
    EXPECT_EQ(texts[2], texts[0]);
  }
}

TEST(PlanAgreement, APlanThatEndsEarlierDiffersAtItsEnd) {
  const auto texts = verdicts({plan_of(7), plan_of(5)});
  EXPECT_NE(texts[0].find("operation 5 is 'nothing more' there and 'copy 5' on the chief"),
            std::string::npos)
      << texts[0];
}

}  // namespace convoy::network::plan_agreement_test
