// What is about gRPC alone: encryption, names, ports.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <future>
#include <mutex>

#include "core/network/control_plane.hpp"
#include "tests/network/certificates.hpp"
#include "tests/network/cluster.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy::network::grpc_wire_test {
namespace {

// In this thread alone: gRPC's own threads nap by the wall clock.
thread_local bool wall_clock_jumps = false;
thread_local int days = 0;

// Somebody sets the wall clock back by a day whenever this thread looks at it.
class JumpingWallClock {
 public:
  JumpingWallClock() { wall_clock_jumps = true; }
  ~JumpingWallClock() { wall_clock_jumps = false; }
  JumpingWallClock(const JumpingWallClock&) = delete;
  JumpingWallClock& operator=(const JumpingWallClock&) = delete;
};

}  // namespace

// In place of the system's, also for the libraries.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const auto result = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  constexpr std::time_t kDay = 24 * 3600;
  if (wall_clock_jumps && clock == CLOCK_REALTIME) time->tv_sec -= kDay * ++days;
  return result;
}

TEST(GrpcWire, MutualTlsCarriesTheSame) {
  Cluster run;
  run.security = make_certificates(scratch_folder("certificates"));
  const auto errors = run_tasks(run, [](ControlPlane& control, int rank) {
    EXPECT_EQ(control.exchange("x", std::to_string(rank)), (std::vector<std::string>{"0", "1"}));
    control.leave();
  });
  EXPECT_EQ(errors, no_errors(2));
}

TEST(GrpcWire, AForeignCertificateDoesNotJoin) {
  Cluster run;
  run.join_timeout = 3;
  run.security = make_certificates(scratch_folder("certificates"));
  const SecurityOptions foreign = make_certificates(scratch_folder("foreign"));
  const auto errors = run_tasks(
      run, [](ControlPlane& control, int) { control.leave(); },
      [&](ControlOptions& options, int rank) {
        if (rank == 1) options.security = foreign;
        if (rank == 0) options.join_timeout *= 2;  // still there when the other one gives up
      });
  EXPECT_NE(errors[1].find("cannot reach the coordinator"), std::string::npos) << errors[1];
  EXPECT_NE(errors[1].find("none of --certificate_authority's"), std::string::npos) << errors[1];
  EXPECT_NE(errors[0].find("not joined: worker 1"), std::string::npos) << errors[0];
}

TEST(GrpcWire, ClearTextDoesNotJoinAnEncryptedRun) {
  Cluster run;
  run.join_timeout = 3;
  run.security = make_certificates(scratch_folder("certificates"));
  const auto errors = run_tasks(
      run, [](ControlPlane& control, int) { control.leave(); },
      [&](ControlOptions& options, int rank) {
        if (rank == 1) options.security = {};
        if (rank == 0) options.join_timeout *= 2;  // still there when the other one gives up
      });
  EXPECT_NE(errors[1].find("cannot reach the coordinator"), std::string::npos) << errors[1];
  EXPECT_NE(errors[1].find("this task has none"), std::string::npos) << errors[1];
  EXPECT_NE(errors[0].find("not joined: worker 1"), std::string::npos) << errors[0];
}

TEST(GrpcWire, NamesAKeyThatIsNotTheCertificates) {
  Cluster run;
  run.security = make_certificates(scratch_folder("certificates"));
  run.security.private_key = make_certificates(scratch_folder("foreign")).private_key;
  for (const int worker : {0, 1}) {  // the coordinator, and a task that would wait for it
    const auto begin = std::chrono::steady_clock::now();
    try {
      const ControlPlane control(run.options(Role::kWorker, worker), {});
      FAIL() << worker;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUnavailable);
      EXPECT_NE(std::string(error.what()).find("--private_key is not the key of --certificate"),
                std::string::npos)
          << error.what();
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
  }
}

TEST(GrpcWire, NamesWhatCannotBeReached) {
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

// A coordinator that has not come to answer yet.
struct Silent : ServerEvents {
  void received(ConnectionId, TaskMessage message) override {
    const std::lock_guard lock(mutex);
    messages.push_back(std::move(message));
  }
  void closed(ConnectionId) override { ended.set_value(); }
  std::mutex mutex;
  std::vector<TaskMessage> messages;
  std::promise<void> ended;
};

struct Deaf : ClientEvents {
  void received(CoordinatorMessage) override {}
  void closed(const std::string&) override {}
};

// Otherwise the others would take an interrupted task for lost, or wait for it.
TEST(GrpcWire, WordsBeforeTheFirstAnswerAreNotLost) {
  Silent coordinator;
  const auto server = open_grpc_wire().listen({"127.0.0.1", 0}, {}, coordinator);
  Deaf task;
  auto client = open_grpc_wire().connect({"127.0.0.1", server->port()}, {}, task);
  client->send(Join{});
  client->send(Goodbye{130, "interrupted", {}});
  client.reset();
  ASSERT_EQ(coordinator.ended.get_future().wait_for(std::chrono::seconds(20)),
            std::future_status::ready);
  const std::lock_guard lock(coordinator.mutex);
  ASSERT_EQ(coordinator.messages.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<Join>(coordinator.messages[0]));
  ASSERT_TRUE(std::holds_alternative<Goodbye>(coordinator.messages[1]));
  EXPECT_EQ(std::get<Goodbye>(coordinator.messages[1]).code, 130);
}

// It takes connections and is no coordinator.
TEST(GrpcWire, WaitsForASilentPeerByNoClockThatIsSet) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_TRUE(::bind(socket, any, size) == 0 && ::listen(socket, 4) == 0 &&
              ::getsockname(socket, any, &size) == 0);
  Deaf task;
  auto client = open_grpc_wire().connect({"127.0.0.1", ntohs(address.sin_port)}, {}, task);
  client->send(Join{});
  const JumpingWallClock clock;
  client.reset();  // it says farewell to a peer that may still answer
  ::close(socket);
}

TEST(GrpcWire, APortThatIsTakenIsNamed) {
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

}  // namespace convoy::network::grpc_wire_test
