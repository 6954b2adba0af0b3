// convoy doctor on this machine and on files that describe none.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/json.hpp"
#include "tests/end_to_end/run_program.hpp"

namespace convoy {
namespace {

using testing::HasSubstr;

TEST(DoctorProgram, ItsExitCodeSaysWhetherAnythingFailed) {
  const ProgramResult result = run_convoy({"doctor", "--json"});
  const auto document = parse_json(result.out);
  EXPECT_EQ(result.exit_code, document["healthy"] == true ? 0 : 3) << result.out;
  EXPECT_EQ(result.err, "");
  bool loaded = false;
  for (const auto& finding : document["findings"])
    loaded = loaded || (finding["subject"] == "model plug-ins" && finding["health"] == "ok");
  EXPECT_TRUE(loaded) << result.out;
}

TEST(DoctorProgram, AnswersWithoutAnySource) {
  const ProgramResult result = run_convoy({"doctor", "--root=" + scratch_folder("nothing")});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("unknown  memory"));
}

TEST(DoctorProgram, SaysWhyAPluginIsNotUsed) {
  const ProgramResult result = run_convoy({"doctor", "--plugin_path=/nonexistent/plug-ins"});
  EXPECT_THAT(result.out, HasSubstr("/nonexistent/plug-ins"));
}

TEST(DoctorProgram, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(run_convoy({"doctor", "--jsn"}).exit_code, 2);
  EXPECT_EQ(run_convoy({"doctor", "memory"}).exit_code, 2);
}

}  // namespace
}  // namespace convoy
