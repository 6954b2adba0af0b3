#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/cli/verbs/verbs.hpp"
#include "tests/cli/verb_outcome.hpp"

namespace convoy::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

std::string said(const std::vector<std::string>& arguments) {
  return said_by(run_command, arguments);
}

std::vector<std::string> completed(std::vector<std::string> words) {
  words.insert(words.begin(), {"complete", "--"});
  std::istringstream lines(said(words));
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);) found.push_back(line);
  return found;
}

std::size_t flags_in(const std::string& help) {
  std::size_t count = 0;
  for (std::size_t at = help.find("\n  --"); at != std::string::npos;
       at = help.find("\n  --", at + 1))
    ++count;
  return count;
}

TEST(Help, ShowsTheCommonFlagsWithExamplesAndNamesTheTopicsOfTheRest) {
  const std::string help = said({"run", "--help"});
  EXPECT_THAT(help, HasSubstr("--batch_size"));
  EXPECT_THAT(help, HasSubstr("Examples:"));
  EXPECT_THAT(help, HasSubstr("learning rate"));
  EXPECT_THAT(help, Not(HasSubstr("--rmsprop_decay")));
  EXPECT_LE(flags_in(help), 22u);
  EXPECT_GT(flags_in(said({"run", "--help=all"})), 100u);
  EXPECT_THAT(said({"run", "--help=all"}), HasSubstr("Accepted without effect"));
}

TEST(Help, ATopicIsAWordOfAHeading) {
  const std::string help = said({"run", "--help=optimizer"});
  EXPECT_THAT(help, HasSubstr("--rmsprop_decay"));
  EXPECT_THAT(help, Not(HasSubstr("--batch_size")));
  EXPECT_THAT(refusal_by(run_command, {"run", "--help=cooking"}), HasSubstr("several hosts"));
}

// Several strategies declare all_reduce_spec and local_steps, with other meanings and defaults.
TEST(Help, ShowsAnOptionUnderEveryStrategyThatDeclaresIt) {
  const std::string replicated = said({"run", "--help=strategy replicated"});
  EXPECT_THAT(replicated, HasSubstr("--all_reduce_spec"));
  EXPECT_THAT(replicated, HasSubstr("xring[#shards]"));
  EXPECT_THAT(said({"run", "--help=strategy horovod"}), HasSubstr("--gradient_repacking"));
  const std::string steps = said({"run", "--help=local_steps"});
  EXPECT_THAT(steps, HasSubstr("strategy easgd:\n  --local_steps  (an integer; default 1)"));
  EXPECT_THAT(steps, HasSubstr("strategy local_sgd:\n  --local_steps  (an integer; default 4)"));
}

TEST(Help, ATopicIsAFlagsNameToo) {
  const std::string help = said({"run", "--help=batch_size"});
  EXPECT_THAT(help, HasSubstr("--batch_size  (an integer"));
  EXPECT_EQ(flags_in(help), 1u);
  EXPECT_THAT(said({"run", "--help=--auto"}), HasSubstr("--auto  (cached"));
  EXPECT_THAT(said({"run", "--help=xla"}), HasSubstr("Known, but refused"));
}

TEST(Help, ATopicThatIsNoneSaysNothingBeforeTheError) {
  for (const char* verb : {"run", "plan", "simulate", "check", "explain", "qualify"})
    for (const char* topic : {"--help=cooking", "--help=--"})
      EXPECT_NE(refusal_by(run_command, {verb, topic}), "nothing is refused") << verb;
}

TEST(Help, WhereAllFlagsAreShownNoTopicIsOffered) {
  const std::string help = said({"launch", "--help"});
  EXPECT_THAT(help, HasSubstr("Tasks:\n  --workers"));
  EXPECT_THAT(help, Not(HasSubstr("--help=TOPIC")));
  EXPECT_THAT(said({"check", "--help"}), HasSubstr("--only"));
}

TEST(Help, OfAVerbStandsBehindHelpToo) {
  EXPECT_EQ(said({"help", "topo"}), said({"topo", "--help"}));
  EXPECT_EQ(said({"help", "simulate"}), said({"simulate", "--help"}));
  EXPECT_THAT(said({"help", "simulate"}), HasSubstr("--platform"));
}

TEST(Help, ATopicStandsBehindTheVerb) {
  EXPECT_EQ(said({"help", "run", "optimizer"}), said({"run", "--help=optimizer"}));
}

TEST(Help, APageOfAFewFlagsIsWholeForEveryTopic) {
  for (const char* verb :
       {"list", "info", "compare", "report", "diff", "calibrate", "topo", "doctor", "new"}) {
    EXPECT_EQ(said({verb, "--help=all"}), said({verb, "--help"}));
    EXPECT_EQ(said({verb, "-h"}), said({verb, "--help"}));
  }
}

TEST(Help, FlagsThatTheVerbRefusesAreNotOffered) {
  for (const auto& [verb, flag] : {std::pair{"qualify", "--train_dir"},
                                   {"plan", "--profile"},
                                   {"explain", "--output_file"},
                                   {"check", "--trace_file"},
                                   {"simulate", "--repeat"}}) {
    const std::string offered = std::string("\n  ") + flag + "  (";
    EXPECT_THAT(said({"run", "--help=all"}), HasSubstr(offered));
    EXPECT_THAT(said({verb, "--help"}), Not(HasSubstr(offered))) << verb;
    EXPECT_THAT(said({verb, "--help=all"}), Not(HasSubstr(offered))) << verb;
    EXPECT_THAT(said({verb, std::string("--help=") + flag}), HasSubstr("Known, but refused"))
        << verb;
  }
}

TEST(Verbs, OneThatIsNoneIsToldWithTheNearest) {
  EXPECT_EQ(refusal_by(run_command, {"rn"}),
            "'rn' is not a verb of convoy; did you mean 'run'? convoy --help lists them");
  EXPECT_EQ(said({"version"}), said({"--version"}));
}

TEST(Completion, KnowsVerbsFlagsAndValues) {
  EXPECT_THAT(completed({"re"}), ElementsAre("report"));
  EXPECT_THAT(completed({"help", "do"}), ElementsAre("doctor"));
  EXPECT_THAT(completed({"run", "--num_e"}),
              IsSupersetOf({std::string("--num_epochs"), std::string("--num_eval_batches")}));
  EXPECT_THAT(completed({"diff", "--f"}), ElementsAre("--fail_below", "--force", "--form"));
  EXPECT_THAT(completed({"run", "--optimizer=m"}), ElementsAre("--optimizer=momentum"));
  EXPECT_THAT(completed({"simulate", "--platform=dgx1"}),
              ElementsAre("--platform=dgx1-p100", "--platform=dgx1-v100"));
  EXPECT_THAT(completed({"run", "--eval="}), ElementsAre("--eval=false", "--eval=true"));
  EXPECT_THAT(completed({"run", "file"}), IsEmpty());
  EXPECT_THAT(completed({"run", "--optimizer", "m"}), ElementsAre("momentum"));
  EXPECT_THAT(completed({"walk", "--"}), IsEmpty());
}

TEST(Completion, KnowsWhatVerbsTakeAsTheirFirstWord) {
  const std::string path = std::string("--plugin_path=") + CONVOY_OWN_PLUGINS;
  EXPECT_THAT(completed({"info", path, "repl"}), ElementsAre("replicated"));
  EXPECT_THAT(completed({"info", path, "alexn"}), testing::Contains("alexnet"));
  EXPECT_THAT(completed({"check", path, "alexn"}), IsEmpty());
  EXPECT_THAT(completed({"check", path, "cp"}), ElementsAre("cpu"));
  EXPECT_THAT(completed({"check", path, "replicated", "cp"}), IsEmpty());
  EXPECT_THAT(completed({"info", path, "./"}), IsEmpty()) << "the shell knows files";
  EXPECT_THAT(completed({"new", "tr"}), ElementsAre("transport"));
}

TEST(Completion, GoesOnBehindTheCommasOfLists) {
  const std::string path = std::string("--plugin_path=") + CONVOY_OWN_PLUGINS;
  EXPECT_THAT(completed({"compare", path, "--models=alexn"}),
              testing::Contains("--models=alexnet"));
  EXPECT_THAT(completed({"compare", path, "--models=lenet,alexn"}),
              testing::Contains("--models=lenet,alexnet"));
  EXPECT_THAT(completed({"compare", path, "--models=lenet,alexnet,"}),
              testing::AllOf(Not(testing::Contains("--models=lenet,alexnet,lenet")),
                             testing::Each(StartsWith("--models=lenet,alexnet,"))));
  EXPECT_THAT(completed({"compare", path, "--strategies=replicated,au"}),
              ElementsAre("--strategies=replicated,auto"));
  EXPECT_THAT(completed({"simulate", "--platform=dgx1-p100,dgx1"}),
              ElementsAre("--platform=dgx1-p100,dgx1-v100"));
  EXPECT_THAT(completed({"run", path, "--model=lenet,alexn"}), IsEmpty()) << "takes one";
}

std::string longest_line(const std::string& text) {
  std::string longest;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.size() > longest.size()) longest = line;
  return longest;
}

TEST(Help, FitsATerminalOfEightyColumns) {
  for (const char* verb : {"run", "plan", "check", "simulate", "explain", "qualify"})
    EXPECT_LE(longest_line(said({verb, "--help=all"})).size(), 80u)
        << longest_line(said({verb, "--help=all"}));
  for (const char* verb : {"run", "launch", "list", "info", "compare", "report", "diff",
                           "calibrate", "topo", "doctor", "new"})
    EXPECT_LE(longest_line(said({verb, "--help"})).size(), 80u)
        << longest_line(said({verb, "--help"}));
  EXPECT_LE(longest_line(said({"--help"})).size(), 80u);
  EXPECT_THAT(said({"diff", "--help"}),
              HasSubstr("  --run_noise  (a number from 0.0001 to 0.9999; default 0.01)\n"
                        "      Assumed relative difference between runs of the same command, for "
                        "a side\n      with only one run.\n"));
}

// Paragraphs are filled by man(7), which knows the width of the terminal.
TEST(Manual, LeavesTheWidthOfParagraphsToTheTerminal) {
  const std::string page = said({"manual"});
  EXPECT_THAT(page, HasSubstr("\n.TP\n.B \\-\\-batch_size\n(an integer"));
  EXPECT_THAT(page, HasSubstr("\n.TP\n.B \\-\\-run_noise\n(a number from"));
  EXPECT_THAT(page, HasSubstr("\n.SS Optimizer:\n"));
  EXPECT_THAT(page, HasSubstr("6 timeout or lost peer"));
  std::istringstream lines(page);
  std::string longest_kept;  // of what is printed as it stands
  bool kept = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == ".nf" || line == ".fi") {
      EXPECT_EQ(kept, line == ".fi");
      kept = line == ".nf";
    } else if (kept && line.size() > longest_kept.size()) {
      longest_kept = line;
    }
  }
  EXPECT_FALSE(kept);
  EXPECT_LE(longest_kept.size(), 100u) << longest_kept;
}

TEST(Manual, HasEveryVerbAndItsFlags) {
  const std::string page = said({"manual"});
  EXPECT_THAT(page, StartsWith(".TH CONVOY 1"));
  for (const char* verb : {"RUN", "REPORT", "DIFF", "TOPO", "LAUNCH"})
    EXPECT_THAT(page, HasSubstr(std::string(".SH CONVOY ") + verb + "\n")) << verb;
  EXPECT_THAT(page, HasSubstr("\\-\\-rmsprop_decay"));
}

}  // namespace
}  // namespace convoy::cli
