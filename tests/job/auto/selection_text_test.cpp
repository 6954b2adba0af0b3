#include "core/job/auto/selection_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace convoy::job {
namespace {

using ::testing::HasSubstr;

select::Decision predicted(double seconds) {
  select::Decision decision;
  decision.step_seconds = seconds;
  return decision;
}

TEST(DriftText, SaysSmallDriftsInPercentAndLargeOnesAsMultiples) {
  struct Case {
    double drift;
    const char* text;
  };
  for (const Case& it :
       {Case{0.125, "steps take 12.5 % longer than the 20.000 ms"},
        Case{1.9, "steps take 190.0 % longer than the"},
        Case{2.5, "steps take 3.5 times as long as the"},
        Case{12122.55, "steps take 12124 times as long as the"},
        Case{-0.1, "steps take 10.0 % less than the"}, Case{-0.75, "steps take 1/4.0 of the"},
        Case{-0.999, "steps take 1/1000 of the"}})
    EXPECT_THAT(drift_text(it.drift, predicted(0.02)), HasSubstr(it.text)) << it.drift;
}

TEST(DriftText, SaysWhatMayHaveHappened) {
  EXPECT_THAT(drift_text(0.2, predicted(0.02)), HasSubstr("something else uses the machine"));
  EXPECT_THAT(drift_text(-0.2, predicted(0.02)), HasSubstr("the machine is faster"));
}

// As the page of the run says it.
TEST(PredictionText, RelatesTheMeasuredStepToThePredictedOne) {
  EXPECT_THAT(prediction_text(predicted(0.02), 0.0216),
              HasSubstr("median step 21.600 ms, 8.0 % longer than the predicted 20.000 ms"));
  EXPECT_EQ(prediction_text(predicted(0), 0.0216), "");
}

}  // namespace
}  // namespace convoy::job
