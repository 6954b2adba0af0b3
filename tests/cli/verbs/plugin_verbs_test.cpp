// list and info over the fixtures of tests/plugin.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/text/json.hpp"
#include "core/cli/verbs/verbs.hpp"
#include "tests/cli/verb_outcome.hpp"
#include "tests/plugin/fixtures.hpp"
#include "tests/sanitized.hpp"

namespace convoy::cli {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string kFixturePath = "--plugin_path=" CONVOY_FIXTURES;

std::string list(const std::vector<std::string>& arguments) {
  return said_by(run_list, arguments);
}

std::string info(const std::vector<std::string>& arguments) {
  return said_by(run_info, arguments);
}

TEST(List, IsAnAlignedTable) {
  const std::string text = list({kFixturePath});
  EXPECT_THAT(text, ContainsRegex("KIND +NAME +VERSION +CLAIM +FILE\n"));
  EXPECT_THAT(text, ContainsRegex("strategy +good +1\\.2\\.3 +independent +/"));
  std::istringstream lines(text);
  std::string header;
  std::string row;
  std::getline(lines, header);
  while (std::getline(lines, row) && !row.empty()) {
    if (row.size() > header.find("FILE")) {
      EXPECT_EQ(row.rfind(' ') + 1, header.find("FILE")) << row;
    }
  }
}

// Most are NAME.so in one folder, which is said once.
TEST(List, NamesTheUsualFolderOnce) {
  const std::string text = list({});
  EXPECT_THAT(text, ContainsRegex("strategy +independent +[0-9.]+ +independent\n"));
  EXPECT_THAT(text, ContainsRegex("device +cpu +[0-9.]+ +- +convoy_device_cpu.so\n"));
  EXPECT_THAT(text, ContainsRegex("files without a folder are in /.*plugins\n"));
}

TEST(List, NamesThePlatformsWithTheirGpus) {
  EXPECT_THAT(list({"platforms"}), ContainsRegex("hgx-h100x8 +8  NVIDIA H100"));
  const nlohmann::json json = parse_json(list({"platforms", "--json"}));
  EXPECT_GT(json["platforms"].size(), 10u);
  EXPECT_FALSE(json["platforms"][0]["source"].get<std::string>().empty());
}

TEST(List, ShowsWhatIsNotUsableAndWhy) {
  EXPECT_THAT(list({kFixturePath}),
              ContainsRegex("not usable:\n(.*\n)*.*no_manifest.so\n    no manifest: "));
}

TEST(List, ShowsShadowedPlugins) {
  TemporaryDirectory directory;
  std::filesystem::copy(fixture("good"), directory / "good.so");
  const std::string text = list({"--plugin_path", directory.path().string() + ":" CONVOY_FIXTURES});
  EXPECT_THAT(text,
              HasSubstr("shadowed by a plug-in found earlier:\n  strategy good " +
                        fixture("good").string() + "\n    by " + (directory / "good.so").string()));
}

TEST(List, RunsNoPluginCode) {
  testing::internal::CaptureStdout();
  const std::string text = list({kFixturePath});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_THAT(text, HasSubstr("noisy"));
}

// Of processor time: the tests beside it take the processor from this one.
TEST(List, TakesLessThanFiftyMilliseconds) {
  std::clock_t best = std::numeric_limits<std::clock_t>::max();
  for (int attempt = 0; attempt < 5; ++attempt) {
    const std::clock_t start = std::clock();
    list({kFixturePath});
    best = std::min(best, std::clock() - start);
  }
  if (!kSanitized) {
    EXPECT_LT(static_cast<double>(best) / CLOCKS_PER_SEC, 0.050);
  }
}

TEST(List, PrintsJson) {
  const auto document = parse_json(list({kFixturePath, "--json"}));
  const auto& plugins = document.at("plugins");
  const auto good = std::find_if(plugins.begin(), plugins.end(),
                                 [](const auto& entry) { return entry.at("name") == "good"; });
  ASSERT_NE(good, plugins.end());
  EXPECT_EQ(good->at("kind"), "strategy");
  EXPECT_EQ(good->at("options").at(4).at("allowed"), nlohmann::json({"slow", "quick"}));
  EXPECT_EQ(document.at("rejected").size(), 3u);
}

TEST(List, MayBeOfOneKind) {
  for (const char* word : {"strategy", "strategies"}) {
    const std::string text = list({word, kFixturePath});
    EXPECT_THAT(text, ContainsRegex("strategy +good +1"));
    EXPECT_THAT(text, Not(HasSubstr("\nmodel ")));
    EXPECT_THAT(text, Not(HasSubstr("\ndevice ")));
  }
  const auto document = parse_json(list({"models", "--json"}));
  ASSERT_FALSE(document.at("plugins").empty());
  for (const auto& plugin : document.at("plugins")) EXPECT_EQ(plugin.at("kind"), "model");
}

TEST(List, RefusesNamesAndUnknownFlags) {
  expect_error(ExitCode::kUsage, {"convoy info good"}, [] { list({"good"}); });
  expect_error(ExitCode::kUsage, {"unknown flag --jason; did you mean --json?"},
               [] { list({"--jason"}); });
  expect_error(ExitCode::kUsage, {"--plugin_path needs a value"}, [] { list({"--plugin_path"}); });
  expect_error(ExitCode::kUsage, {"--json=perhaps", "true or false"},
               [] { list({"--json=perhaps"}); });
}

TEST(Info, FitsATerminalOfEightyColumns) {
  std::istringstream lines(info({"replicated"}));
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.size() <= 80 || line.starts_with("path ")) << line;
}

TEST(Info, ShowsEverythingTheManifestSays) {
  const std::string text = info({"good", kFixturePath});
  EXPECT_THAT(text, HasSubstr("strategy good 1.2.3\n  Computes and shares nothing.\n"));
  EXPECT_THAT(text, HasSubstr("claims     independent\n"));
  EXPECT_THAT(text, HasSubstr("needs      forward, backward\n"));
  EXPECT_THAT(text, HasSubstr("path       " + fixture("good").string()));
  EXPECT_THAT(text, HasSubstr("  --count=3  (int)\n      How many: any number.\n"));
  EXPECT_THAT(text, HasSubstr("  --mode=slow  (enum: slow, quick)\n      Which way.\n"));
}

TEST(Info, TakesAPath) {
  EXPECT_THAT(info({fixture("noisy").string()}), HasSubstr("strategy noisy 1.0.0\n"));
  EXPECT_THAT(info({fixture("noisy").string()}), HasSubstr("no options\n"));
}

TEST(Info, PrintsJson) {
  const auto document = parse_json(info({"good", kFixturePath, "--json"}));
  EXPECT_EQ(document.at(0).at("claim"), "independent");
  EXPECT_EQ(document.at(0).at("options").size(), 5u);
}

TEST(Info, SaysWhatShowsAFolder) {
  for (const char* folder : {".", CONVOY_FIXTURES})
    EXPECT_THAT(refusal_by(run_info, {folder}),
                HasSubstr(std::string("list --plugin_path=") + folder));
}

TEST(Info, SuggestsNames) {
  expect_error(ExitCode::kUnavailable, {"no plug-in is named 'god'", "did you mean good?"}, [] {
    info({"god", kFixturePath});
  });
  expect_error(ExitCode::kUsage, {"info takes one name and got 0"}, [] { info({}); });
}

TEST(Help, NamesTheFlags) {
  EXPECT_THAT(list({"--help"}), HasSubstr("usage: convoy list"));
  EXPECT_THAT(info({"--help"}), HasSubstr("  --plugin_path  (text)"));
}

}  // namespace
}  // namespace convoy::cli
