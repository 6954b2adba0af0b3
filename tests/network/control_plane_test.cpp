// Several tasks as threads of this process, over gRPC on loopback.
#include "core/network/control_plane.hpp"

#include <gtest/gtest.h>

#include <future>

#include "tests/network/certificates.hpp"
#include "tests/network/free_port.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy::network::control_plane_test {

struct Cluster {
  int workers = 2;
  int servers = 0;
  int port = free_port();
  double join_timeout = 20;
  double peer_timeout = 4;
  SecurityOptions security{};

  ControlOptions options(Role role, int index) const {
    ControlOptions options;
    options.identity.role = role;
    options.identity.index = index;
    options.identity.workers = workers;
    options.identity.servers = servers;
    options.identity.coordinator = HostPort{"127.0.0.1", port};
    options.join_timeout = join_timeout;
    options.peer_timeout = peer_timeout;
    options.security = security;
    return options;
  }
};

// Every task joins and runs `body` in a thread; the errors' texts, by rank.
using Body = std::function<void(ControlPlane&, int rank)>;
std::vector<std::string> run_tasks(
    const Cluster& run, const Body& body,
    const std::function<void(ControlOptions&, int rank)>& change = [](ControlOptions&, int) {}) {
  std::vector<std::future<std::string>> tasks;
  for (int rank = 0; rank < run.workers + run.servers; ++rank)
    tasks.push_back(std::async(std::launch::async, [&, rank]() -> std::string {
      const bool worker = rank < run.workers;
      ControlOptions options =
          run.options(worker ? Role::kWorker : Role::kServer, worker ? rank : rank - run.workers);
      change(options, rank);
      try {
        ControlPlane control(options, {});
        body(control, rank);
        return "";
      } catch (const Error& error) {
        return error.what();
      }
    }));
  std::vector<std::string> texts;
  for (auto& task : tasks) texts.push_back(task.get());
  return texts;
}

const std::vector<std::string> kNoErrors(16);
std::vector<std::string> no_errors(int tasks) {
  return {kNoErrors.begin(), kNoErrors.begin() + tasks};
}

TEST(ControlPlane, TasksJoinMeetAndLeave) {
  Cluster run;
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

TEST(ControlPlane, MutualTlsCarriesTheSame) {
  Cluster run;
  run.security = make_certificates(scratch_folder("certificates"));
  const auto errors = run_tasks(run, [](ControlPlane& control, int rank) {
    EXPECT_EQ(control.exchange("x", std::to_string(rank)), (std::vector<std::string>{"0", "1"}));
    control.leave();
  });
  EXPECT_EQ(errors, no_errors(2));
}

TEST(ControlPlane, AForeignCertificateDoesNotJoin) {
  Cluster run;
  run.join_timeout = 3;
  run.security = make_certificates(scratch_folder("certificates"));
  const SecurityOptions foreign = make_certificates(scratch_folder("foreign"));
  const auto errors = run_tasks(
      run, [](ControlPlane& control, int) { control.leave(); },
      [&](ControlOptions& options, int rank) {
        if (rank == 1) options.security = foreign;
      });
  EXPECT_NE(errors[1].find("cannot reach the coordinator"), std::string::npos) << errors[1];
  EXPECT_NE(errors[0].find("not joined: worker 1"), std::string::npos) << errors[0];
}

TEST(ControlPlane, ClearTextDoesNotJoinAnEncryptedRun) {
  Cluster run;
  run.join_timeout = 3;
  run.security = make_certificates(scratch_folder("certificates"));
  const auto errors = run_tasks(
      run, [](ControlPlane& control, int) { control.leave(); },
      [&](ControlOptions& options, int rank) {
        if (rank == 1) options.security = {};
      });
  EXPECT_NE(errors[1].find("cannot reach the coordinator"), std::string::npos) << errors[1];
  EXPECT_NE(errors[0].find("not joined: worker 1"), std::string::npos) << errors[0];
}

TEST(ControlPlane, SixteenTasksJoinInLessThanThreeSeconds) {
  Cluster run;
  run.workers = 16;
  const auto begin = std::chrono::steady_clock::now();
  const auto errors = run_tasks(run, [&](ControlPlane& control, int rank) {
    if (rank == 0) {
      EXPECT_LT(seconds_between(begin, steady_now()), 3.0);
    }
    control.exchange("all are there", "");
    control.leave();
  });
  EXPECT_EQ(errors, no_errors(16));
}

TEST(ControlPlane, ATaskMayStartBeforeItsCoordinator) {
  Cluster run;
  const auto errors = run_tasks(
      run, [](ControlPlane& control, int) { control.leave(); },
      [](ControlOptions&, int rank) {
        if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(700));
      });
  EXPECT_EQ(errors, no_errors(2));
}

TEST(ControlPlane, NamesWhatCannotBeReached) {
  Cluster run;
  ControlOptions options = run.options(Role::kWorker, 1);
  options.join_timeout = 0.5;
  try {
    const ControlPlane control(options, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kTimeout);
    EXPECT_NE(std::string(error.what()).find("the coordinator (worker 0 at 127.0.0.1:"),
              std::string::npos);
    EXPECT_NE(std::string(error.what()).find("--join_timeout=0.5 s"), std::string::npos);
  }
  options.identity.coordinator = HostPort{"name.invalid", run.port};
  EXPECT_THROW(ControlPlane(options, {}), Error);
}

TEST(ControlPlane, APortThatIsTakenIsNamed) {
  Cluster run;
  run.workers = 1;
  const ControlPlane first(run.options(Role::kWorker, 0), {});
  try {
    const ControlPlane second(run.options(Role::kWorker, 0), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUnavailable);
    EXPECT_NE(std::string(error.what()).find("Address already in use"), std::string::npos);
  }
}

TEST(ControlPlane, WaitsAreInterruptible) {
  Cluster run;
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

TEST(ControlPlane, AGoodbyeReachesAllWithItsWords) {
  Cluster run;
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

TEST(ControlPlane, TheCoordinatorsGoodbyeReachesAll) {
  Cluster run;
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

TEST(ControlPlane, StopsAreAgreed) {
  Cluster run;
  run.workers = 3;
  std::array<std::int64_t, 3> stopped{};
  std::array<std::int64_t, 3> submitted{};
  const auto errors = run_tasks(run, [&](ControlPlane& control, int rank) {
    const auto index = static_cast<std::size_t>(rank);
    for (std::int64_t step = 1; step <= 2000; ++step) {
      if (const auto stop = control.begin_step(step)) {
        stopped[index] = stop->step;
        break;
      }
      submitted[index] = step;
      if (rank == 0 && step == 20) control.request_stop(StopKind::kAfterStep, 0, "checkpoint");
      std::this_thread::sleep_for(std::chrono::milliseconds(rank + 1));
    }
    control.leave();
  });
  EXPECT_EQ(errors, no_errors(3));
  EXPECT_GE(stopped[0], 20);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(stopped[rank], stopped[0]);
    EXPECT_EQ(submitted[rank], stopped[0]);
  }
}

TEST(ControlPlane, KnowsTheCoordinatorsClock) {
  Cluster run;
  const auto errors = run_tasks(run, [](ControlPlane& control, int) {
    control.exchange("started", "");
    const TimePoint deadline = after(steady_now(), 5);
    while (!control.clock_offset().known() && steady_now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_TRUE(control.clock_offset().known());
    EXPECT_LE(std::abs(control.clock_offset().offset()), control.clock_offset().error())
        << "tasks of one machine have one clock";
    control.exchange("seen", "");
    control.leave();
  });
  EXPECT_EQ(errors, no_errors(2));
}

TEST(ControlPlane, SurvivorsGoOnWithANewTask) {
  Cluster run;
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
          EXPECT_EQ(lost.rank(), 1);
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
