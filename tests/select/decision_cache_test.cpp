#include "core/select/decision_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "core/base/text/json.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy::select {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DecisionCacheTest : public ::testing::Test {
 protected:
  DecisionCacheTest() {
    decision_.origin = DecisionOrigin::kSimulated;
    decision_.chosen = {"replicated", {{"all_reduce_spec", "xring"}}, 1 << 20};
    decision_.step_seconds = 0.0123;
    decision_.basis = "2 devices";
    decision_.runner_up = {{"parameter_server", {}, 1 << 18}, 0.0125};
  }
  void overwrite(const std::string& text) {
    std::ofstream(cache_.file_of("here"), std::ios::trunc) << text;
  }

  std::filesystem::path folder_ = std::filesystem::path(scratch_folder("cache")) / "deep" / "er";
  std::vector<std::string> told_;
  DecisionCache cache_{folder_, [this](const std::string& text) { told_.push_back(text); }};
  Decision decision_;
};

TEST_F(DecisionCacheTest, RemembersPerCircumstances) {
  EXPECT_FALSE(cache_.find("here"));
  cache_.remember("here", decision_);
  EXPECT_FALSE(cache_.find("there"));
  const std::optional<Decision> found = cache_.find("here");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->origin, DecisionOrigin::kRemembered);
  EXPECT_EQ(found->chosen, decision_.chosen);
  EXPECT_EQ(found->runner_up, decision_.runner_up);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(DecisionCacheTest, IgnoresDamagedFilesAndSaysSo) {
  for (const char* text :
       {"", "{", "[1,2]", "{\"schema_version\":2}",
        "{\"schema_version\":2,\"circumstances\":\"here\",\"decision\":{\"origin\":\"oracle\"}}"}) {
    cache_.remember("here", decision_);
    overwrite(text);
    told_.clear();
    EXPECT_FALSE(cache_.find("here")) << text;
    EXPECT_THAT(told_, ElementsAre(HasSubstr(cache_.file_of("here").string()))) << text;
  }
}

TEST_F(DecisionCacheTest, IgnoresFilesOfAnotherVersionOrOtherCircumstances) {
  cache_.remember("here", decision_);
  std::filesystem::rename(cache_.file_of("here"), cache_.file_of("there"));
  EXPECT_FALSE(cache_.find("there")) << "two texts may share a hash";
  overwrite("{\"schema_version\":99}");
  EXPECT_FALSE(cache_.find("here"));
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(DecisionCacheTest, DoesNotFailWhereNothingCanBeWritten) {
  const std::filesystem::path file = std::filesystem::path(scratch_folder("file")) / "x";
  std::ofstream(file) << "no folder";
  const DecisionCache blocked(file, [this](const std::string& text) { told_.push_back(text); });
  blocked.remember("here", decision_);
  EXPECT_THAT(told_, ElementsAre(AllOf(HasSubstr("cannot be stored"),
                                       HasSubstr("Not a directory; set CONVOY_CACHE_DIR"))));
  EXPECT_FALSE(blocked.find("here"));
}

// It would be run, or refused as if it had been asked for.
TEST_F(DecisionCacheTest, AChangedChoiceIsNotTaken) {
  for (const auto& [from, to] : {std::pair{"\"replicated\"", "\"replicate\""},
                                 std::pair{"1048576", "1"}, std::pair{"0.0123", "-0.0123"}}) {
    cache_.remember("here", decision_);
    std::stringstream text;
    text << std::ifstream(cache_.file_of("here")).rdbuf();
    std::string changed = text.str();
    const std::size_t at = changed.find(from);
    ASSERT_NE(at, std::string::npos) << from << text.str();
    overwrite(changed.replace(at, std::string(from).size(), to));
    told_.clear();
    EXPECT_FALSE(cache_.find("here")) << from;
    EXPECT_THAT(told_, ElementsAre(HasSubstr("it is damaged"))) << from;
  }
}

// Such a number would be cast, whatever that gives.
TEST_F(DecisionCacheTest, ACountThatIsNoneIsNotTaken) {
  for (const char* count : {"2.6e25", "26218443372036854775808072", "-1", "1.5", "true"}) {
    cache_.remember("here", decision_);
    std::ifstream text(cache_.file_of("here"));
    auto json = parse_ordered_json(text);
    json["decision"]["chosen"]["bucket_elements"] = parse_ordered_json(std::string_view(count));
    json["checksum"] = decision_checksum(json["decision"]);
    overwrite(json_text(json));
    told_.clear();
    EXPECT_FALSE(cache_.find("here")) << count;
    EXPECT_THAT(told_, ElementsAre(HasSubstr("which is no count"))) << count;
  }
}

// Nobody writes to it, and a run would wait for ever.
TEST_F(DecisionCacheTest, APipeIsNoMemory) {
  std::filesystem::create_directories(folder_);
  ASSERT_EQ(::mkfifo(cache_.file_of("here").c_str(), 0600), 0);
  EXPECT_FALSE(cache_.find("here"));
}

TEST_F(DecisionCacheTest, WithoutAFolderRemembersNothing) {
  const DecisionCache none({}, [this](const std::string& text) { told_.push_back(text); });
  none.remember("here", decision_);
  EXPECT_FALSE(none.find("here"));
  EXPECT_THAT(told_, IsEmpty());
}

}  // namespace
}  // namespace convoy::select
