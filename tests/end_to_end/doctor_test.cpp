// convoy doctor on this machine and on files that describe none.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/text/json.hpp"
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

TEST(DoctorProgram, RefusesARootThatIsNoFolder) {
  const ProgramResult result = run_convoy({"doctor", "--root=/nonexistent"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--root=/nonexistent: no such folder"));
}

TEST(DoctorProgram, SaysWhyAPluginIsNotUsed) {
  const ProgramResult result = run_convoy({"doctor", "--plugin_path=/nonexistent/plug-ins"});
  EXPECT_THAT(result.out, HasSubstr("/nonexistent/plug-ins"));
}

// Among the plug-ins there is one that crashes as soon as it is loaded.
TEST(DoctorProgram, LoadsPluginsOnlyWhenAskedAndSurvivesThem) {
  const std::string path = "--plugin_path=" CONVOY_HOSTILE_PLUGINS;
  const ProgramResult manifests = run_convoy({"doctor", path});
  EXPECT_THAT(manifests.out, testing::Not(HasSubstr("hostile_load")));
  const ProgramResult loaded = run_convoy({"doctor", "--deep", path});
  EXPECT_THAT(loaded.out, HasSubstr("plug-in hostile_load"));
  EXPECT_THAT(loaded.out, HasSubstr("strategy plug-ins"));
  EXPECT_EQ(loaded.exit_code, 3);
}

TEST(DoctorProgram, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(run_convoy({"doctor", "--jsn"}).exit_code, 2);
  EXPECT_EQ(run_convoy({"doctor", "memory"}).exit_code, 2);
}

}  // namespace
}  // namespace convoy
