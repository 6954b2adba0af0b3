// Several tasks as threads of this process, over gRPC on loopback.
#include "core/network/control_plane.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>

#include "tests/network/cluster.hpp"
#include "tests/network/local_wire.hpp"

namespace convoy::network::control_plane_test {

// With gRPC and without: the thread sanitizer looks at the latter only.
class ControlPlaneTest : public testing::TestWithParam<bool> {
 protected:
  Cluster cluster() {
    Cluster cluster;
    if (!GetParam()) cluster.wire = &wire_;
    return cluster;
  }

 private:
  LocalWire wire_;
};

#if defined(__SANITIZE_THREAD__)
INSTANTIATE_TEST_SUITE_P(Local, ControlPlaneTest, testing::Values(false));
#else
INSTANTIATE_TEST_SUITE_P(Both, ControlPlaneTest, testing::Bool(),
                         [](const auto& it) { return it.param ? "Grpc" : "Local"; });
#endif

TEST_P(ControlPlaneTest, TasksJoinMeetAndLeave) {
  Cluster run = cluster();
  run.workers = 2;
  run.servers = 1;
  const auto errors = run_tasks(run, [](ControlPlane& control, int rank) {
    const Roster roster = control.roster();
    EXPECT_EQ(roster.rank, rank);
    EXPECT_EQ(roster.members.size(), 3u);
    EXPECT_EQ(roster.members[0].address, "127.0.0.1");
    EXPECT_EQ(roster.members[2].name.role, Role::kServer);
    EXPECT_EQ(roster.key.size(), 32u);
    const auto blobs = control.exchange("names", std::string(1, static_cast<char>('a' + rank)));
    EXPECT_EQ(blobs, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(control.broadcast("choice", rank == 0 ? "taken" : "ignored"), "taken");
    const std::string large(3u << 20, static_cast<char>('a' + rank));
    EXPECT_EQ(control.exchange("large", large)[static_cast<std::size_t>(rank)], large);
    if (rank == 2) control.wait_for_end();
    control.leave();
  });
  EXPECT_EQ(errors, no_errors(3));
}

// Tasks that take steps of their own go on while the others come to an exchange, hear from each
// other how far they are, and agree to end.
TEST_P(ControlPlaneTest, TasksThatDoNotWaitForEachOtherAgreeToEnd) {
  Cluster run = cluster();
  run.servers = 1;
  const auto errors = run_tasks(run, [](ControlPlane& control, int rank) {
    const auto patiently = [](const std::function<bool()>& done) {
      while (!done()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    EXPECT_FALSE(control.agreed_stop());
    control.begin_exchange("begin", std::string(1, static_cast<char>('a' + rank)));
    std::optional<std::vector<std::string>> all;
    patiently([&] { return (all = control.exchanged("begin")).has_value(); });
    EXPECT_EQ(*all, (std::vector<std::string>{"a", "b", "c"}));
    control.set_position(rank == 1 ? 40 : 2, -1);
    if (rank == 0) {
      patiently([&] {
        const std::vector<Position> positions = control.positions();
        return positions.size() == 3 && positions[0].step + positions[1].step >= 42;
      });
      control.request_stop("enough");
    }
    patiently([&] { return control.agreed_stop().has_value(); });
    control.exchange("end", "");
    control.leave();
  });
  EXPECT_EQ(errors, no_errors(3));
}

// Until the coordinator's task knows that all are there.
double seconds_to_join(Cluster run, int tasks) {
  run.workers = tasks;
  double seconds = 0;
  const auto begin = steady_now();
  const auto errors = run_tasks(run, [&](ControlPlane& control, int rank) {
    if (rank == 0) seconds = seconds_between(begin, steady_now());
    control.exchange("all are there", "");
    control.leave();
  });
  EXPECT_EQ(errors, no_errors(static_cast<std::size_t>(tasks)));
  return seconds;
}

// The shortest of several times: others may have the processors, but hardly every time. In
// proportion to the tasks is four times as long; twice that, and two more attempts to connect, are
// allowed: what grows with the square of the tasks shows once it is milliseconds.
TEST_P(ControlPlaneTest, SixteenTasksJoinInATimeInProportionToThatOfFour) {
  constexpr int kFewestTries = 3;
  constexpr int kMostTries = 20;
  constexpr double kTwoAttempts = 0.2;  // seconds
  double of_four = 1e9;
  double of_sixteen = 1e9;
  const auto is_short = [&] {
    return of_sixteen < 3.0 && of_sixteen < 2 * 4 * of_four + kTwoAttempts;
  };
  for (int tries = 0; tries < kFewestTries || (tries < kMostTries && !is_short()); ++tries) {
    of_four = std::min(of_four, seconds_to_join(cluster(), 4));
    of_sixteen = std::min(of_sixteen, seconds_to_join(cluster(), 16));
  }
  EXPECT_TRUE(is_short()) << of_sixteen << " s, and four tasks " << of_four << " s";
}

TEST_P(ControlPlaneTest, ATaskMayStartBeforeItsCoordinator) {
  Cluster run = cluster();
  const auto errors = run_tasks(
      run, [](ControlPlane& control, int) { control.leave(); },
      [](ControlOptions&, int rank) {
        if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(700));
      });
  EXPECT_EQ(errors, no_errors(2));
}

TEST_P(ControlPlaneTest, SaysWhyTheCoordinatorIsNotReached) {
  ControlOptions options = cluster().options(Role::kWorker, 1);
  options.join_timeout = 3;
  try {
    const ControlPlane control(options, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kTimeout);
    const std::string reason = GetParam() ? "Connection refused" : "nobody listens";
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
  }
}

// It may come to mean another host, to which clear text must not go.
TEST_P(ControlPlaneTest, NobodyConnectsInClearTextToANameThatMeansNothing) {
  Cluster run = cluster();
  run.join_timeout = 1;
  const auto errors = run_tasks(
      run, [](ControlPlane& control, int) { control.leave(); },
      [](ControlOptions& options, int rank) {
        if (rank == 1) options.identity.coordinator->host = "name.invalid";  // a wire may know it
      });
  EXPECT_NE(errors[1].find(resolution_problem("name.invalid")), std::string::npos) << errors[1];
}

TEST_P(ControlPlaneTest, NobodyListensInClearTextAtANameThatMeansNothing) {
  ControlOptions options = cluster().options(Role::kWorker, 0);
  options.identity.workers = 1;
  options.identity.coordinator->host = "name.invalid";
  options.join_timeout = 0.3;
  try {
    const ControlPlane control(options, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUnavailable);
    EXPECT_NE(std::string(error.what()).find("name.invalid"), std::string::npos) << error.what();
  }
}

// Names of hosts may appear after the hosts.
TEST_P(ControlPlaneTest, TheCoordinatorWaitsForItsOwnName) {
  ControlOptions options = cluster().options(Role::kWorker, 0);
  options.identity.workers = 1;
  int lookups = 0;
  options.resolution_problem = [&](const std::string&) {
    return ++lookups < 4 ? std::string("not known yet") : std::string();
  };
  ControlPlane control(options, {});
  EXPECT_EQ(lookups, 4);
  control.leave();
}

TEST_P(ControlPlaneTest, WaitingForTheOwnNameIsInterruptible) {
  ControlOptions options = cluster().options(Role::kWorker, 0);
  int lookups = 0;
  options.resolution_problem = [&](const std::string&) {
    ++lookups;
    return std::string("not known yet");
  };
  options.interrupted = [&] { return lookups < 3 ? ExitCode::kOk : ExitCode::kTerminated; };
  try {
    const ControlPlane control(options, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kTerminated);
  }
}

// It would find nobody, and wait.
TEST_P(ControlPlaneTest, ATaskThatComesAfterARefusalHearsWhy) {
  Cluster run = cluster();
  run.workers = 3;
  std::promise<std::string> refused;
  std::promise<std::string> staying;
  const auto text_of_task = [&](int rank) -> std::string {
    ControlOptions options = run.options(Role::kWorker, rank);
    if (rank == 1) options.identity.workers = 4;  // as nobody else was told
    options.staying = [&](const std::string& line) { staying.set_value(line); };
    try {
      const ControlPlane control(options, {});
    } catch (const Error& error) {
      if (rank == 1) refused.set_value(error.what());
      return error.what();
    }
    return "";
  };
  auto chief = std::async(std::launch::async, text_of_task, 0);
  auto other = std::async(std::launch::async, text_of_task, 1);
  const std::string why = refused.get_future().get();
  EXPECT_NE(why.find("4 workers"), std::string::npos) << why;
  // The coordinator's user need not wait for the last task to read it.
  auto told = staying.get_future();
  ASSERT_EQ(told.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  const std::string line = told.get();
  EXPECT_EQ(line.find(why + "; this task stays for up to 10 s"), 0u) << line;
  EXPECT_EQ(text_of_task(2), why);
  EXPECT_EQ(chief.get(), why);
  EXPECT_EQ(other.get(), why);
}

TEST_P(ControlPlaneTest, AnInterruptionIsKnownBehindTheRoundThatFollowsIt) {
  Cluster run = cluster();
  run.servers = 1;
  const auto errors = run_tasks(run, [](ControlPlane& control, int rank) {
    EXPECT_FALSE(control.interruption());
    control.exchange("all train", "");
    for (int polled = 0; rank == 1 && polled < 3; ++polled)
      control.interrupt_all(ExitCode::kTerminated, "SIGTERM");
    control.exchange("step", "");
    const std::optional<Interruption> stop = control.interruption();
    ASSERT_TRUE(stop);
    EXPECT_EQ(stop->code, ExitCode::kTerminated);
    EXPECT_EQ(stop->text.find("worker 1 ("), 0u) << stop->text;
    EXPECT_NE(stop->text.find("was stopped by SIGTERM"), std::string::npos) << stop->text;
    control.leave();
  });
  EXPECT_EQ(errors, no_errors(3));
}

// As a controller does, which has no part in the run.
TEST_P(ControlPlaneTest, WhoWaitsForTheEndMayAskForIt) {
  Cluster run = cluster();
  run.servers = 1;
  const auto errors = run_tasks(run, [](ControlPlane& control, int rank) {
    if (rank == 2)
      control.wait_for_end([&] { control.interrupt_all(ExitCode::kInterrupted, "SIGINT"); });
    while (!control.interruption()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    control.leave();
  });
  EXPECT_EQ(errors, no_errors(3));
}

TEST_P(ControlPlaneTest, WaitsAreInterruptible) {
  Cluster run = cluster();
  ControlOptions options = run.options(Role::kWorker, 0);
  std::atomic<bool> stop = false;
  options.interrupted = [&] { return stop ? ExitCode::kInterrupted : ExitCode::kOk; };
  auto task = std::async(std::launch::async, [&] {
    try {
      const ControlPlane control(options, {});
    } catch (const Error& error) {
      return error.code();
    }
    return ExitCode::kOk;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  stop = true;
  EXPECT_EQ(task.get(), ExitCode::kInterrupted);
}

// A wire that knows which task the coordinator has answered: that task is seated.
class AnsweringWire : public Wire {
 public:
  AnsweringWire(Wire& carrier, std::atomic<bool>& answered)
      : carrier_(carrier), answered_(answered) {}
  std::unique_ptr<WireServer> listen(const HostPort& address, const WireSecurity& security,
                                     ServerEvents& events) override {
    return carrier_.listen(address, security, events);
  }
  std::unique_ptr<WireClient> connect(const HostPort& address, const WireSecurity& security,
                                      ClientEvents& events) override {
    listeners_.push_back(std::make_unique<Listener>(events, answered_));
    return carrier_.connect(address, security, *listeners_.back());
  }

 private:
  struct Listener : ClientEvents {
    Listener(ClientEvents& task, std::atomic<bool>& heard) : events(task), answered(heard) {}
    void received(CoordinatorMessage message) override {
      events.received(std::move(message));
      answered = true;
    }
    void closed(const std::string& reason) override { events.closed(reason); }
    ClientEvents& events;
    std::atomic<bool>& answered;
  };
  Wire& carrier_;
  std::atomic<bool>& answered_;
  std::vector<std::unique_ptr<Listener>> listeners_;
};

// Of three tasks one does not come, and one of the others is interrupted while they wait for it.
TEST_P(ControlPlaneTest, AnInterruptionWhileTasksJoinEndsAllAsOne) {
  Cluster run = cluster();
  run.workers = 3;
  Wire& carrier = run.wire != nullptr ? *run.wire : open_grpc_wire();
  for (const int interrupted : {0, 1}) {
    std::array<std::atomic<bool>, 2> answered{};
    const auto end_of_task = [&](int rank) {
      AnsweringWire wire(carrier, answered[static_cast<std::size_t>(rank)]);
      ControlOptions options = run.options(Role::kWorker, rank);
      options.wire = &wire;
      options.interrupted = [&answered, ends = rank == interrupted] {
        return ends && answered[0] && answered[1] ? ExitCode::kTerminated : ExitCode::kOk;
      };
      try {
        const ControlPlane control(options, {});
      } catch (const Error& error) {
        return error;
      }
      return Error(ExitCode::kOk, "");
    };
    auto second = std::async(std::launch::async, end_of_task, 1);
    const std::array<Error, 2> ends{end_of_task(0), second.get()};
    for (const Error& end : ends) EXPECT_EQ(end.code(), ExitCode::kTerminated) << end.what();
    const std::string other = ends[static_cast<std::size_t>(1 - interrupted)].what();
    EXPECT_EQ(other.find("worker " + std::to_string(interrupted) + " ("), 0u) << other;
    EXPECT_NE(other.find(" was stopped before all tasks had joined"), std::string::npos) << other;
  }
}

TEST_P(ControlPlaneTest, AGoodbyeReachesAllWithItsWords) {
  Cluster run = cluster();
  run.workers = 3;
  const auto errors = run_tasks(run, [](ControlPlane& control, int rank) {
    control.exchange("started", "");
    if (rank == 1) {
      control.set_position(9, 3);
      control.say_goodbye(ExitCode::kNumerical, "the loss is not a number");
      return;
    }
    control.exchange("never", "");
  });
  EXPECT_EQ(errors[0].find("worker 1 ("), 0u) << errors[0];
  EXPECT_NE(errors[0].find("lost at step 9 in operation 3: it ended with code 5: the loss is not a "
                           "number"),
            std::string::npos)
      << errors[0];
  EXPECT_EQ(errors[2], errors[0]);
}

TEST_P(ControlPlaneTest, TheCoordinatorsGoodbyeReachesAll) {
  Cluster run = cluster();
  const auto errors = run_tasks(run, [](ControlPlane& control, int rank) {
    control.exchange("started", "");
    if (rank == 0) {
      control.say_goodbye(ExitCode::kFailed, "out of memory");
      return;
    }
    control.exchange("never", "");
  });
  EXPECT_NE(errors[1].find("it ended with code 1: out of memory"), std::string::npos) << errors[1];
}

// Any task may ask; all hear of it and act once.
TEST_P(ControlPlaneTest, StopsAreAgreedOneAfterTheOther) {
  Cluster run = cluster();
  run.workers = 3;
  const auto errors = run_tasks(run, [](ControlPlane& control, int rank) {
    const auto next_stop = [&] {
      std::optional<AgreedStop> stop;
      while (!(stop = control.agreed_stop()))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      control.finish_stop(stop->stop);
      return stop->reason;
    };
    control.exchange("all train", "");
    if (rank == 1) control.request_stop("pause");
    EXPECT_EQ(next_stop(), "pause");
    control.exchange("all have paused", "");
    if (rank == 2) control.request_stop("end");
    EXPECT_EQ(next_stop(), "end");
    control.exchange("all have ended", "");
    EXPECT_FALSE(control.agreed_stop());
    control.leave();
  });
  EXPECT_EQ(errors, no_errors(3));
}

TEST_P(ControlPlaneTest, KnowsTheCoordinatorsClock) {
  Cluster run = cluster();
  const auto errors = run_tasks(run, [](ControlPlane& control, int) {
    control.exchange("started", "");
    const ClockOffset clock = control.clock_offset();
    ASSERT_TRUE(clock.known());
    EXPECT_LE(std::abs(clock.offset()), clock.error()) << "tasks of one machine have one clock";
    control.exchange("seen", "");
    control.leave();
  });
  EXPECT_EQ(errors, no_errors(2));
}

TEST_P(ControlPlaneTest, SurvivorsGoOnWithANewTask) {
  Cluster run = cluster();
  const auto change = [](ControlOptions& options, int rank) { options.restarts = rank == 0; };
  const auto errors = run_tasks(
      run,
      [&](ControlPlane& control, int rank) {
        control.exchange("started", "");
        if (rank == 1) return;  // its connection closes without a word
        try {
          control.exchange("never", "");
          ADD_FAILURE();
        } catch (const PeerLost& lost) {
          EXPECT_TRUE(lost.restart());
        }
        auto replacement = std::async(std::launch::async, [&] {
          ControlPlane other(run.options(Role::kWorker, 1), {});
          EXPECT_EQ(other.roster().generation, 1);
          other.exchange("again", "");
          other.leave();
        });
        control.rejoin({});
        EXPECT_EQ(control.roster().generation, 1);
        control.exchange("again", "");
        replacement.get();
        control.leave();
      },
      change);
  EXPECT_EQ(errors, no_errors(2));
}

}  // namespace convoy::network::control_plane_test
