// What the coordinator decides, with a clock and connections of the test's own.
#include "core/network/coordinator.hpp"

#include <gtest/gtest.h>

#include <map>

namespace convoy::network::coordinator_test {

Join join_of(Role role, int index) {
  Join join;
  join.name = {role, index, "host" + std::to_string(index), 100 + index};
  join.version = "1";
  join.program_hash = "program";
  join.machine = "machine";
  join.address = "127.0.0.1";
  join.loopback = true;
  join.workers = 2;
  join.servers = 1;
  join.model = "trivial";
  join.plugins = {{"replicated", "abc"}};
  join.flags = {{"--batch_size", "16"}};
  return join;
}

// Of a task that was part of an earlier generation.
Join again(Role role, int index, int generation) {
  Join join = join_of(role, index);
  join.generation = generation;
  return join;
}

// Seconds in which a silent task is declared lost.
const double kLost = CoordinatorOptions().peer_timeout + 0.3;

// A coordinator of two workers and a server: connections 1, 2 and 3.
class CoordinatorTest : public testing::Test {
 protected:
  void SetUp() override { make({}); }

  void make(CoordinatorOptions options) {
    options.name = {Role::kWorker, 0, "host0", 100};
    options.workers = 2;
    options.servers = 1;
    options.key = std::string(32, 'k');
    sent_.clear();
    coordinator_.emplace(
        options,
        [this](ConnectionId to, const CoordinatorMessage& message) {
          sent_[to].push_back(message);
        },
        [this](ConnectionId connection) { closed_.push_back(connection); }, now_);
  }

  void join(ConnectionId connection, const Join& join) { say(connection, join); }
  void say(ConnectionId connection, const TaskMessage& message) {
    coordinator_->received(connection, message, now_);
  }
  void join_all() {
    join(1, join_of(Role::kWorker, 0));
    join(2, join_of(Role::kWorker, 1));
    join(3, join_of(Role::kServer, 0));
  }
  // All have joined a run that goes on after so many losses.
  void start_with(int restarts) {
    CoordinatorOptions options;
    options.restarts = restarts;
    make(options);
    join_all();
  }
  // The connection ends. Others send heartbeats until the loss is known.
  void lose(ConnectionId connection) {
    coordinator_->closed(connection, now_);
    pass(0.3, {1, 3});
  }
  // Connections 1 and 3 have survived a loss.
  void return_to_generation(int generation) {
    join(1, again(Role::kWorker, 0, generation));
    join(3, again(Role::kServer, 0, generation));
  }
  // Time passes; `alive` send heartbeats.
  void pass(double seconds, const std::vector<ConnectionId>& alive, const Position& position = {}) {
    for (double passed = 0; passed < seconds; passed += 0.05) {
      now_ = after(now_, 0.05);
      for (const ConnectionId connection : alive) say(connection, Heartbeat{position, 0});
      coordinator_->tick(now_);
    }
  }

  template <typename Message>
  std::vector<Message> messages(ConnectionId to) {
    std::vector<Message> found;
    for (const CoordinatorMessage& message : sent_[to])
      if (const auto* one = std::get_if<Message>(&message)) found.push_back(*one);
    return found;
  }
  template <typename Message>
  std::string text(ConnectionId to) {
    const auto found = messages<Message>(to);
    return found.empty() ? "" : found.front().text;
  }

  TimePoint now_ = steady_now();
  std::map<ConnectionId, std::vector<CoordinatorMessage>> sent_;
  std::vector<ConnectionId> closed_;
  std::optional<Coordinator> coordinator_;
};

TEST_F(CoordinatorTest, SendsARosterWhenAllHaveJoined) {
  join(2, join_of(Role::kWorker, 1));
  join(3, join_of(Role::kServer, 0));
  EXPECT_TRUE(messages<Roster>(2).empty());
  join(1, join_of(Role::kWorker, 0));
  for (const auto& [connection, rank] : std::map<ConnectionId, int>{{1, 0}, {2, 1}, {3, 2}}) {
    const auto rosters = messages<Roster>(connection);
    ASSERT_EQ(rosters.size(), 1u);
    EXPECT_EQ(rosters[0].rank, rank);
    ASSERT_EQ(rosters[0].members.size(), 3u);
    EXPECT_EQ(to_string(rosters[0].members[1].name), "worker 1 (host1, pid 101)");
    EXPECT_EQ(to_string(rosters[0].members[2].name), "ps 0 (host0, pid 100)");
    EXPECT_EQ(rosters[0].key, std::string(32, 'k'));
  }
}

TEST_F(CoordinatorTest, NamesBothSidesOfADisagreement) {
  const std::string sides = "worker 1 (host1, pid 101) has ";
  const std::map<std::string, std::function<void(Join&)>> changes = {
      {"--batch_size=8, worker 0 (host0, pid 100) has 16",
       [](Join& join) { join.flags[0].value = "8"; }},
      {"--extra=1, worker 0 (host0, pid 100) has none",
       [](Join& join) {
         join.flags.push_back({"--extra", "1"});
       }},
      {"--batch_size=none, worker 0 (host0, pid 100) has 16",
       [](Join& join) { join.flags.clear(); }},
      {"convoy 2, worker 0 (host0, pid 100) has 1", [](Join& join) { join.version = "2"; }},
      {"a convoy program with hash other", [](Join& join) { join.program_hash = "other"; }},
      {"plug-in replicated with hash abd", [](Join& join) { join.plugins[0].value = "abd"; }},
      {"--model=vgg16, worker 0", [](Join& join) { join.model = "vgg16"; }},
      // What was chosen says more than the files that it is in.
      {"--model=lenet, worker 0",
       [](Join& join) {
         join.model = "lenet";
         join.plugins[0].value = "abd";
       }},
      {"--batch_size=12, worker 0",
       [](Join& join) {
         join.flags[0].value = "12";
         join.plugins[0].value = "abd";
       }},
      {"a run of 3 workers", [](Join& join) { join.workers = 3; }}};
  for (const auto& [expected, change] : changes) {
    make({});
    join(1, join_of(Role::kWorker, 0));
    Join other = join_of(Role::kWorker, 1);
    change(other);
    join(2, other);
    EXPECT_EQ(text<Refusal>(2).find(sides + expected), 0u) << expected << ": " << text<Refusal>(2);
    EXPECT_EQ(text<Refusal>(1), text<Refusal>(2)) << "the other side need not wait";
    EXPECT_TRUE(coordinator_->finished());
  }
}

TEST_F(CoordinatorTest, ServersNeedNoFlags) {
  Join server = join_of(Role::kServer, 0);
  server.flags.clear();
  server.plugins.clear();
  server.model.clear();
  join(1, join_of(Role::kWorker, 0));
  join(3, server);
  EXPECT_EQ(text<Refusal>(3), "");
}

TEST_F(CoordinatorTest, RefusesATaskThatIsThereTwice) {
  join(1, join_of(Role::kWorker, 0));
  join(2, join_of(Role::kWorker, 1));
  Join twice = join_of(Role::kWorker, 1);
  twice.name.pid = 999;
  join(4, twice);
  EXPECT_EQ(text<Refusal>(4).find("worker 1 (host1, pid 999) and worker 1 (host1, pid 101) both"),
            0u);
  EXPECT_EQ(text<Refusal>(1), text<Refusal>(4));
}

TEST_F(CoordinatorTest, ARunningJobIsNotHurtByASecondTask) {
  join_all();
  join(4, join_of(Role::kWorker, 1));
  EXPECT_NE(text<Refusal>(4), "");
  EXPECT_EQ(text<Refusal>(1), "");
  EXPECT_FALSE(coordinator_->finished());
}

TEST_F(CoordinatorTest, RefusesATaskThatIsNoneOfTheRun) {
  join(4, join_of(Role::kWorker, 2));
  EXPECT_EQ(text<Refusal>(4).find("worker 2 (host2, pid 102) is none of the 2 workers"), 0u);
  EXPECT_NE(text<Refusal>(4).find("worker 0 (host0, pid 100)"), std::string::npos);
}

TEST_F(CoordinatorTest, NamesWhoIsMissing) {
  CoordinatorOptions options;
  options.join_timeout = 2;
  make(options);
  join(1, join_of(Role::kWorker, 0));
  pass(1.9, {1});
  EXPECT_EQ(text<Refusal>(1), "");
  pass(0.2, {1});
  EXPECT_NE(text<Refusal>(1).find("not joined: worker 1, ps 0; joined have worker 0"),
            std::string::npos)
      << text<Refusal>(1);
  EXPECT_EQ(messages<Refusal>(1)[0].code, ExitCode::kTimeout);
}

TEST_F(CoordinatorTest, RefusesLoopbackBetweenHosts) {
  join(1, join_of(Role::kWorker, 0));
  Join other = join_of(Role::kWorker, 1);
  other.address = "10.0.0.2";
  other.loopback = false;
  join(2, other);
  join(3, join_of(Role::kServer, 0));
  EXPECT_NE(text<Refusal>(2).find("loopback address 127.0.0.1"), std::string::npos);
  make({});
  other.address = "127.0.0.1";
  other.loopback = true;
  other.machine = "another machine";
  join(1, join_of(Role::kWorker, 0));
  join(2, other);
  join(3, join_of(Role::kServer, 0));
  EXPECT_NE(text<Refusal>(2), "");
}

// The coordinator looks no name up: that would keep everybody's heartbeats waiting, and the name
// may mean something else here.
TEST_F(CoordinatorTest, BelievesATaskThatItsNameIsLoopback) {
  Join other = join_of(Role::kWorker, 1);
  other.address = "debian.invalid";
  for (const bool loopback : {false, true}) {
    make({});
    other.loopback = loopback;
    for (Join join_of_another : {join_of(Role::kWorker, 0), join_of(Role::kServer, 0)}) {
      join_of_another.address = "10.0.0.1";
      join_of_another.loopback = false;
      join(join_of_another.name.role == Role::kWorker ? 1 : 3, join_of_another);
    }
    join(2, other);
    EXPECT_EQ(text<Refusal>(1).find("worker 1 (host1, pid 101) has the loopback address "
                                    "debian.invalid, by which worker 0 (host0, pid 100)") == 0,
              loopback)
        << text<Refusal>(1);
  }
}

TEST_F(CoordinatorTest, SilenceIsDeathAndSaysWhere) {
  join_all();
  pass(0.5, {1, 2, 3}, {118, 42, "all_reduce affine0"});
  pass(3.9, {1, 3});
  EXPECT_EQ(text<Loss>(1), "");
  pass(0.4, {1, 3});
  EXPECT_EQ(text<Loss>(1),
            "worker 1 (host1, pid 101) lost at step 118 in operation 42 (all_reduce affine0): no "
            "heartbeat for 4.0 s");
  EXPECT_EQ(text<Loss>(3), text<Loss>(1));
  EXPECT_EQ(messages<Loss>(1)[0].code, ExitCode::kTimeout);
  EXPECT_FALSE(messages<Loss>(1)[0].restart);
  EXPECT_EQ(closed_, std::vector<ConnectionId>{2}) << "it is not waited for";
}

TEST_F(CoordinatorTest, AShorterSilenceIsReportedAndSurvived) {
  join_all();
  pass(0.5, {1, 2, 3});
  pass(3, {1, 3});
  pass(5, {1, 2, 3});
  EXPECT_EQ(text<Loss>(1), "");
  const auto notices = messages<Notice>(1);
  ASSERT_EQ(notices.size(), 2u);
  EXPECT_NE(notices[0].text.find("worker 1 (host1, pid 101) has sent no heartbeat"),
            std::string::npos);
  EXPECT_NE(notices[1].text.find("is heard again"), std::string::npos);
}

TEST_F(CoordinatorTest, APauseOfItsOwnProcessIsNobodysSilence) {
  join_all();
  pass(0.5, {1, 2, 3});
  now_ = after(now_, 60);
  coordinator_->tick(now_);
  pass(1, {1, 2, 3});
  EXPECT_EQ(text<Loss>(1), "");
}

TEST_F(CoordinatorTest, AClosedConnectionIsDeathAtOnce) {
  join_all();
  pass(0.2, {1, 2, 3}, {7, -1, ""});
  coordinator_->closed(2, now_);
  pass(0.2, {1, 3});
  EXPECT_EQ(text<Loss>(1).find("worker 1 (host1, pid 101) lost at step 7: its connection closed"),
            0u);
}

TEST_F(CoordinatorTest, TheFirstCauseIsTheOneThatIsSurest) {
  join_all();
  pass(0.2, {1, 2, 3});
  coordinator_->closed(3, now_);
  say(2, Goodbye{5, "the loss is not a number", {9, 3, "apply"}});
  pass(0.3, {1});
  EXPECT_EQ(
      text<Loss>(1),
      "worker 1 (host1, pid 101) lost at step 9 in operation 3 (apply): it ended with code 5: "
      "the loss is not a number");
  EXPECT_EQ(messages<Loss>(1).size(), 1u) << "one line";
}

TEST_F(CoordinatorTest, WhoStandsStillIsStalledAndNeverDead) {
  join_all();
  for (int i = 0; i < 100; ++i) {
    pass(0.05, {1, 3}, {10, 5, "forward"});
    say(2, Heartbeat{{9, 4, "receive"}, 0});
  }
  EXPECT_EQ(text<Loss>(1), "");
  const auto notices = messages<Notice>(1);
  ASSERT_EQ(notices.size(), 1u) << "those that wait for it are not named";
  EXPECT_NE(notices[0].text.find("worker 1 (host1, pid 101) is stalled at step 9"),
            std::string::npos);
}

TEST_F(CoordinatorTest, RoundsGiveAllBlobsToAll) {
  join_all();
  say(3, Contribution{"x", "c"});
  say(1, Contribution{"x", "a"});
  say(1, Contribution{"y", "1"});
  EXPECT_TRUE(messages<RoundResult>(1).empty());
  say(2, Contribution{"x", "b"});
  for (const ConnectionId connection : {1, 2, 3}) {
    const auto results = messages<RoundResult>(connection);
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0].round, "x");
    EXPECT_EQ(results[0].blobs, (std::vector<std::string>{"a", "b", "c"}));
  }
}

TEST_F(CoordinatorTest, ARoundDoesNotWaitForATaskThatHasLeft) {
  join_all();
  say(1, Contribution{"x", "a"});
  say(2, Leave{});
  pass(0.3, {1, 3});
  EXPECT_NE(text<Loss>(1).find("worker 1 (host1, pid 101) lost"), std::string::npos);
  EXPECT_NE(text<Loss>(1).find("it left before the round 'x'"), std::string::npos);
}

TEST_F(CoordinatorTest, TellsAllWhichTaskWasStoppedByWhat) {
  join_all();
  say(3, Interruption{ExitCode::kTerminated, "SIGTERM"});
  say(1, Interruption{ExitCode::kInterrupted, "SIGINT"});
  for (const ConnectionId connection : {1, 2, 3}) {
    const auto told = messages<Interruption>(connection);
    ASSERT_EQ(told.size(), 1u) << "the first one counts";
    EXPECT_EQ(told[0].code, ExitCode::kTerminated);
    EXPECT_EQ(told[0].text, "ps 0 (host0, pid 100) was stopped by SIGTERM");
  }
  pass(0.3, {1, 2, 3});
  EXPECT_EQ(text<Loss>(1), "");
}

// In the order of what the task says: whoever acts on the round knows of the interruption.
TEST_F(CoordinatorTest, TellsOfAnInterruptionBeforeTheRoundBehindIt) {
  join_all();
  say(1, Contribution{"x", "a"});
  say(3, Contribution{"x", "c"});
  say(2, Interruption{ExitCode::kInterrupted, "SIGINT"});
  say(2, Contribution{"x", "b"});
  ASSERT_GE(sent_[1].size(), 2u);
  EXPECT_TRUE(std::holds_alternative<Interruption>(sent_[1][sent_[1].size() - 2]));
  EXPECT_TRUE(std::holds_alternative<RoundResult>(sent_[1].back()));
}

TEST_F(CoordinatorTest, AllEndWithTheCodeOfATaskThatIsInterruptedBeforeItTrains) {
  for (const auto& [code, of_all] :
       {std::pair{130, ExitCode::kInterrupted}, std::pair{143, ExitCode::kTerminated},
        std::pair{5, ExitCode::kTimeout}}) {
    make({});
    join_all();
    say(2, Goodbye{code, "why", {}});
    pass(0.3, {1, 3});
    ASSERT_EQ(messages<Loss>(1).size(), 1u);
    EXPECT_EQ(messages<Loss>(1)[0].code, of_all);
    const bool lost = text<Loss>(1).find(" lost ") != std::string::npos;
    EXPECT_EQ(lost, of_all == ExitCode::kTimeout) << text<Loss>(1);
  }
}

TEST_F(CoordinatorTest, ATaskThatIsInterruptedWhileItJoinsIsNoLoss) {
  join(1, join_of(Role::kWorker, 0));
  join(2, join_of(Role::kWorker, 1));
  say(2, Goodbye{143, "interrupted while waiting for the other tasks", {}});
  coordinator_->closed(2, now_);
  pass(0.3, {1});
  const auto told = messages<Refusal>(1);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].code, ExitCode::kTerminated);
  EXPECT_EQ(told[0].text,
            "worker 1 (host1, pid 101) was stopped before all tasks had joined: interrupted while "
            "waiting for the other tasks");
  EXPECT_TRUE(coordinator_->finished());
  EXPECT_FALSE(coordinator_->refuses_late_tasks()) << "it ends at once";
  join(3, join_of(Role::kServer, 0));
  EXPECT_EQ(text<Refusal>(3), told[0].text);
}

// It lets go of its links first, which may take longer than the coordinator lives.
TEST_F(CoordinatorTest, ASurvivorThatHasNotJoinedAgainHearsThatTheRunIsOver) {
  start_with(1);
  lose(2);
  Join again = join_of(Role::kWorker, 0);
  again.generation = 1;
  join(1, again);
  say(1, Goodbye{130, "interrupted while waiting for the other tasks", {}});
  pass(0.3, {1, 3});
  ASSERT_EQ(messages<Refusal>(3).size(), 1u);
  EXPECT_EQ(messages<Refusal>(3)[0].code, ExitCode::kInterrupted);
  EXPECT_EQ(text<Refusal>(3).find("worker 0 (host0, pid 100) was stopped before"), 0u)
      << text<Refusal>(3);
  EXPECT_EQ(messages<Refusal>(2).size(), 0u) << "the lost task's connection";
}

TEST_F(CoordinatorTest, ATaskThatComesAfterARefusalHearsWhy) {
  join(1, join_of(Role::kWorker, 0));
  Join other = join_of(Role::kWorker, 1);
  other.flags[0].value = "8";
  join(2, other);
  ASSERT_TRUE(coordinator_->finished());
  EXPECT_TRUE(coordinator_->refuses_late_tasks());
  join(3, join_of(Role::kServer, 0));
  EXPECT_EQ(text<Refusal>(3), text<Refusal>(2));
  EXPECT_FALSE(coordinator_->refuses_late_tasks()) << "all have heard it";
}

TEST_F(CoordinatorTest, NobodyWaitsForTasksThatHadTheirTime) {
  join(1, join_of(Role::kWorker, 0));
  pass(61, {1});
  ASSERT_TRUE(coordinator_->finished());
  EXPECT_FALSE(coordinator_->refuses_late_tasks());
}

TEST_F(CoordinatorTest, ServersEndWithTheLastWorker) {
  join_all();
  say(1, Leave{});
  EXPECT_TRUE(messages<End>(3).empty());
  say(2, Leave{});
  EXPECT_EQ(messages<End>(3).size(), 1u);
  EXPECT_FALSE(coordinator_->finished());
  say(3, Leave{});
  coordinator_->closed(3, now_);
  EXPECT_TRUE(coordinator_->finished());
  EXPECT_EQ(text<Loss>(1), "");
}

TEST_F(CoordinatorTest, SurvivorsAndTheLostTaskJoinAgain) {
  start_with(1);
  say(1, Contribution{"x", "a"});
  lose(2);
  ASSERT_EQ(messages<Loss>(1).size(), 1u);
  EXPECT_TRUE(messages<Loss>(1)[0].restart);
  return_to_generation(1);
  join(9, join_of(Role::kWorker, 1));
  const auto rosters = messages<Roster>(9);
  ASSERT_EQ(rosters.size(), 1u);
  EXPECT_EQ(rosters[0].generation, 1);
  say(1, Contribution{"x", "a"});
  say(9, Contribution{"x", "b"});
  say(3, Contribution{"x", "c"});
  EXPECT_EQ(messages<RoundResult>(9).size(), 1u) << "older rounds are gone";
  lose(9);
  EXPECT_FALSE(messages<Loss>(1)[1].restart) << "only one restart was asked for";
}

TEST_F(CoordinatorTest, NothingStartsAgainOnceATaskHasLeft) {
  start_with(1);
  say(3, Leave{});
  lose(2);
  ASSERT_EQ(messages<Loss>(1).size(), 1u);
  EXPECT_FALSE(messages<Loss>(1)[0].restart);
}

TEST_F(CoordinatorTest, AReplacementMayComeBeforeTheLossIsDeclared) {
  start_with(1);
  coordinator_->closed(2, now_);
  join(9, join_of(Role::kWorker, 1));
  EXPECT_EQ(text<Refusal>(9), "");
  pass(0.3, {1, 3});
  return_to_generation(1);
  EXPECT_EQ(messages<Roster>(9).size(), 1u);
}

TEST_F(CoordinatorTest, AReplacementThatEndsBeforeTheLossIsDeclaredTakesNoSeat) {
  start_with(1);
  coordinator_->closed(2, now_);
  join(9, join_of(Role::kWorker, 1));
  lose(9);
  join(10, join_of(Role::kWorker, 1));
  EXPECT_EQ(text<Refusal>(10), "");
}

// Its host is gone without a word, and a scheduler is faster than the time-out.
TEST_F(CoordinatorTest, AReplacementMayComeBeforeTheLossIsSeen) {
  start_with(1);
  pass(1, {1, 3});
  join(9, join_of(Role::kWorker, 1));
  EXPECT_EQ(text<Refusal>(9), "");
  pass(CoordinatorOptions().peer_timeout, {1, 3, 9});
  ASSERT_EQ(messages<Loss>(1).size(), 1u);
  EXPECT_TRUE(messages<Loss>(1)[0].restart);
  return_to_generation(1);
  EXPECT_EQ(messages<Roster>(9).size(), 1u) << text<Refusal>(9);
}

TEST_F(CoordinatorTest, ASecondTaskOfANameIsRefusedIfTheFirstOneLives) {
  start_with(1);
  join(9, join_of(Role::kWorker, 1));
  pass(kLost, {1, 2, 3, 9});
  EXPECT_NE(text<Refusal>(9).find("both say that they are worker 1"), std::string::npos)
      << text<Refusal>(9);
  EXPECT_TRUE(messages<Loss>(1).empty());
  EXPECT_TRUE(messages<Refusal>(1).empty());
  EXPECT_FALSE(coordinator_->finished());
}

TEST_F(CoordinatorTest, AReplacementThatDiesBeforeAllAreBackIsReplacedToo) {
  start_with(2);
  lose(2);
  join(9, join_of(Role::kWorker, 1));
  lose(9);
  EXPECT_EQ(text<Refusal>(1), "");
  EXPECT_FALSE(coordinator_->finished());
  join(10, join_of(Role::kWorker, 1));
  return_to_generation(1);
  EXPECT_EQ(messages<Roster>(10).size(), 1u) << text<Refusal>(10);
  lose(10);
  EXPECT_FALSE(messages<Loss>(1).back().restart) << "both restarts are used up";
}

TEST_F(CoordinatorTest, TwoTasksThatDieBeforeAllAreBackAreReplaced) {
  start_with(3);
  lose(2);
  join(9, join_of(Role::kWorker, 1));
  join(3, again(Role::kServer, 0, 1));
  coordinator_->closed(9, now_);
  coordinator_->closed(3, now_);
  join(10, join_of(Role::kWorker, 1));
  join(11, join_of(Role::kServer, 0));
  pass(0.5, {1, 10, 11});
  join(1, again(Role::kWorker, 0, 1));
  EXPECT_EQ(messages<Roster>(10).size(), 1u) << text<Refusal>(10);
  EXPECT_EQ(messages<Roster>(11).size(), 1u) << text<Refusal>(11);
}

TEST_F(CoordinatorTest, AReplacementThatFallsSilentBeforeAllAreBackIsReplacedToo) {
  start_with(3);
  lose(2);
  for (const ConnectionId replacement : {9, 10}) {
    join(replacement, join_of(Role::kWorker, 1));
    pass(CoordinatorOptions().peer_timeout + 0.5, {1, 3});
    EXPECT_EQ(messages<Loss>(replacement).size(), 1u) << replacement;
  }
  join(11, join_of(Role::kWorker, 1));
  return_to_generation(1);
  EXPECT_EQ(messages<Roster>(11).size(), 1u) << text<Refusal>(11);
}

TEST_F(CoordinatorTest, AReplacementThatDiesWithoutAnotherRestartEndsTheRun) {
  start_with(1);
  lose(2);
  join(9, join_of(Role::kWorker, 1));
  lose(9);
  EXPECT_EQ(messages<Refusal>(1).size(), 1u);
  EXPECT_TRUE(coordinator_->finished());
}

TEST_F(CoordinatorTest, WhoWaitsForASeatHearsThatTheRunIsOver) {
  start_with(2);
  lose(2);
  join(9, join_of(Role::kWorker, 1));
  join(10, join_of(Role::kWorker, 1));
  EXPECT_EQ(text<Refusal>(10), "");
  say(9, Goodbye{130, "interrupted while waiting for the other tasks", {}});
  pass(0.3, {1, 3, 10});
  EXPECT_EQ(text<Refusal>(10), text<Refusal>(1));
  EXPECT_NE(text<Refusal>(10), "");
}

// It was stopped, or its machine was asleep: nobody has ended it, so nobody starts it again.
TEST_F(CoordinatorTest, ALostTaskThatWakesUpTakesItsSeatAgain) {
  start_with(1);
  pass(kLost, {1, 3});
  ASSERT_EQ(messages<Loss>(2).size(), 1u);
  EXPECT_TRUE(messages<Loss>(2)[0].restart);
  EXPECT_EQ(closed_, std::vector<ConnectionId>{});
  return_to_generation(1);
  join(2, again(Role::kWorker, 1, 1));
  EXPECT_EQ(messages<Roster>(1).size(), 2u) << text<Refusal>(2);
  EXPECT_EQ(messages<Roster>(2).size(), 2u);
}

TEST_F(CoordinatorTest, ALostTaskThatWakesUpBehindItsReplacementEndsAlone) {
  for (const bool all_are_back : {false, true}) {
    start_with(1);
    pass(kLost, {1, 3});
    join(9, join_of(Role::kWorker, 1));
    if (all_are_back) return_to_generation(1);
    join(2, again(Role::kWorker, 1, 1));
    ASSERT_EQ(messages<Refusal>(2).size(), 1u);
    EXPECT_EQ(messages<Refusal>(2)[0].code, ExitCode::kTimeout);
    EXPECT_NE(text<Refusal>(2).find("has taken its place"), std::string::npos) << text<Refusal>(2);
    if (!all_are_back) return_to_generation(1);
    EXPECT_EQ(messages<Roster>(9).size(), 1u) << text<Refusal>(9);
    EXPECT_EQ(text<Refusal>(1), "");
  }
}

TEST_F(CoordinatorTest, ALostTaskThatWakesUpTooLateHearsThatTheRunIsOver) {
  start_with(1);
  pass(kLost + CoordinatorOptions().join_timeout, {1, 3});
  EXPECT_TRUE(coordinator_->finished());
  EXPECT_EQ(text<Refusal>(2), text<Refusal>(1));
  EXPECT_NE(text<Refusal>(2), "");
}

TEST_F(CoordinatorTest, TheChiefSeesEverybodysProgress) {
  join_all();
  say(2, Heartbeat{{12, 3, ""}, 7});
  say(1, Heartbeat{{11, 2, ""}, 8});
  const auto pulses = messages<Pulse>(1);
  ASSERT_EQ(pulses.size(), 1u);
  EXPECT_EQ(pulses[0].sent, 8);
  ASSERT_EQ(pulses[0].positions.size(), 3u);
  EXPECT_EQ(pulses[0].positions[1].step, 12);
  EXPECT_TRUE(messages<Pulse>(2)[0].positions.empty());
}

}  // namespace convoy::network::coordinator_test
