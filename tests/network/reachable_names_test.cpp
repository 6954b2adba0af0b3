#include "core/network/reachable_names.hpp"

#include <gtest/gtest.h>

#include "tests/network/environment.hpp"

namespace convoy::network::reachable_names_test {

// A machine whose /etc/hosts has "127.0.1.1 debian": what leaves it to other hosts has 10.0.0.1.
const NameLookup kDebian = {
    [](const std::string& host) { return host == "debian" || host.starts_with("127."); },
    [](const HostPort& target) -> std::string {
      if (target.host == "unknown") return "";
      return target.host == "debian" ? "127.0.0.1" : "10.0.0.1";
    }};

TaskIdentity task(const std::string& job, int index, const std::string& ps_hosts,
                  const std::string& worker_hosts) {
  return with_reachable_names(
      *identify_task({job, index, ps_hosts, worker_hosts, ""}, environment_of({})), kDebian);
}

TEST(ReachableNames, AHostDoesNotListenByLoopbackForOthers) {
  const TaskIdentity chief = task("worker", 0, "", "debian:1,other:2");
  EXPECT_EQ(transport_address(chief).host, "10.0.0.1");
  EXPECT_EQ(chief.coordinator, (HostPort{"10.0.0.1", 1}));
  const TaskIdentity second = task("worker", 1, "", "other:1,debian:2");
  EXPECT_EQ(transport_address(second), (HostPort{"10.0.0.1", 2}));
  EXPECT_EQ(second.coordinator, (HostPort{"other", 1}));
}

TEST(ReachableNames, AllTasksOfAHostKnowItByOneAddress) {
  const TaskIdentity server = task("ps", 0, "debian:3", "debian:1,other:2");
  EXPECT_EQ(transport_address(server), (HostPort{"10.0.0.1", 3}));
  EXPECT_EQ(server.coordinator, (HostPort{"10.0.0.1", 1}));
}

TEST(ReachableNames, StayWhereAllTasksAreOnThisMachine) {
  const TaskIdentity chief = task("worker", 0, "", "debian:1,debian:2");
  EXPECT_EQ(chief.coordinator, (HostPort{"debian", 1}));
  EXPECT_EQ(transport_address(chief).host, "debian");
}

TEST(ReachableNames, StayWhereNoOtherHostIsKnownYet) {
  EXPECT_EQ(task("worker", 0, "", "debian:1,unknown:2").coordinator, (HostPort{"debian", 1}));
}

TEST(ReachableNames, LeaveLoopbackThatIsWrittenAsSuch) {
  const TaskIdentity chief = task("worker", 0, "", "127.0.0.1:1,other:2");
  EXPECT_EQ(transport_address(chief).host, "127.0.0.1");
}

TEST(ReachableNames, KnowTheHostsThatSlurmSays) {
  const auto first = identify_task({}, environment_of({{"SLURM_PROCID", "0"},
                                                       {"SLURM_NTASKS", "2"},
                                                       {"SLURM_JOB_ID", "9"},
                                                       {"SLURM_STEP_ID", "0"},
                                                       {"SLURM_JOB_NODELIST", "debian,other"}}));
  ASSERT_TRUE(first);
  const int port = first->coordinator->port;
  EXPECT_EQ(with_reachable_names(*first, kDebian).coordinator, (HostPort{"10.0.0.1", port}));
}

}  // namespace convoy::network::reachable_names_test
