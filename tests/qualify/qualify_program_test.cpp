// convoy qualify with planted faults: a slow device or link, also between hosts, a core that
// somebody else has, a wrong description of the machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/network_namespaces.hpp"
#include "tests/end_to_end/run_program.hpp"
#include "tests/end_to_end/running_program.hpp"
#include "tests/environment.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

constexpr const char* kPlugins = CONVOY_BINARY_DIR "/tests/plugins/slow_device.so";

struct Qualified {
  ProgramResult result;
  json record;

  std::vector<std::string> slow() const { return record.at("slow"); }
};

Qualified qualify(std::vector<std::string> arguments, const std::string& verb = "qualify") {
  const std::string file = scratch_folder("qualify") + "/record.json";
  if (verb == "qualify") arguments.insert(arguments.begin(), "qualify");
  for (const char* flag : {"--quick", "--model=lenet", "--batch_size=2"})
    arguments.emplace_back(flag);
  arguments.push_back("--output_file=" + file);
  Qualified it;
  it.result = run_convoy(arguments);
  std::ifstream in(file);
  if (in) it.record = parse_json(in);
  return it;
}

std::vector<json> rates(const json& host, const std::string& kind) {
  std::vector<json> found;
  for (const json& it : host.at("measurements"))
    if (it.at("kind") == kind) found.push_back(it);
  return found;
}

Qualified with_slow_device(const std::string& slow, const std::string& threshold) {
  return qualify({"--device=slow_device", std::string("--plugin_path=") + kPlugins,
                  "--num_devices=3", "--slow=" + slow, "--threshold=" + threshold});
}

// One takes twenty times as long. On a busy machine the others lose time to what else runs, so that
// it is not a twentieth as fast as they are, but below a third all the same.
TEST(Qualify, ASlowDeviceIsNamed) {
  const Qualified it = with_slow_device("sums", "0.33");
  EXPECT_EQ(it.result.exit_code, 4) << it.result.out << it.result.err;
  EXPECT_THAT(it.slow(), Contains(HasSubstr("slow_device:1: sum of vectors, alone at ")));
  for (const json& rate : rates(it.record.at("hosts")[0], "device"))
    EXPECT_EQ(rate.at("slow"), rate.at("subject") == "slow_device:1") << rate.dump();
  EXPECT_THAT(it.result.out, HasSubstr("not qualified: "));
}

TEST(Qualify, ASlowLinkIsNamed) {
  const Qualified it = with_slow_device("copies", "0.33");
  EXPECT_EQ(it.result.exit_code, 4) << it.result.out << it.result.err;
  EXPECT_THAT(it.slow(),
              Contains(AllOf(HasSubstr("slow_device:1"), HasSubstr("device, alone at "))));
  // What ends at the slow device. A busy machine may slow others, too, but none as much.
  double slowest_of_others = 1e30;
  double fastest_of_slow = 0;
  for (const json& rate : rates(it.record.at("hosts")[0], "link")) {
    if (rate.at("what") != "device to device, alone") continue;
    const double bytes_per_second = rate.at("rate");
    if (rate.at("subject").get<std::string>().ends_with("-> slow_device:1"))
      fastest_of_slow = std::max(fastest_of_slow, bytes_per_second);
    else
      slowest_of_others = std::min(slowest_of_others, bytes_per_second);
  }
  EXPECT_GT(fastest_of_slow, 0);
  EXPECT_LT(fastest_of_slow, slowest_of_others);
}

TEST(Qualify, WithoutAThresholdEverythingPassesAndIsMeasured) {
  const Qualified it = qualify({"--device=cpu", "--num_devices=2", "--threshold=0",
                                "--data_dir=" CONVOY_SOURCE_DIR "/share/sample_data/imagenet"});
  EXPECT_EQ(it.result.exit_code, 0) << it.result.err;
  EXPECT_TRUE(it.record.at("passed").get<bool>());
  const json& host = it.record.at("hosts")[0];
  EXPECT_EQ(rates(host, "device").size(), 2u * 3);  // products together, sums together and alone
  EXPECT_EQ(rates(host, "link").size(), 3u * (2 + 2));
  EXPECT_EQ(rates(host, "collective").size(), 3u);
  EXPECT_EQ(rates(host, "training").size(), 1u);
  EXPECT_EQ(rates(host, "storage").size(), 3u);
  for (const json& rate : rates(host, "storage"))  // media of other kinds are not alike
    EXPECT_TRUE(rate.at("likes").is_null()) << rate.dump();
  EXPECT_FALSE(rates(host, "core").empty());
  for (const char* kind : {"device", "link", "collective", "training"})
    for (const json& rate : rates(host, kind)) {
      EXPECT_GT(rate.at("rate"), 0) << rate.dump();
      EXPECT_GT(rate.at("foreseen").at("rate"), 0) << rate.dump();
    }
}

// What cannot be measured is said, and all else is kept.
TEST(Qualify, WithoutAFolderForTemporaryFilesTheRestIsMeasured) {
  const Environment environment(Environment::Values{{"TMPDIR", "/no/such/folder"}});
  const Qualified it = qualify({"--device=cpu", "--num_devices=1", "--threshold=0",
                                "--data_dir=" CONVOY_SOURCE_DIR "/share/sample_data/imagenet"});
  ASSERT_EQ(it.result.exit_code, 0) << it.result.err;
  EXPECT_THAT(it.record.dump(), HasSubstr("set TMPDIR to one"));
  EXPECT_EQ(rates(it.record.at("hosts")[0], "storage").size(), 1u) << "reading the data";
}

// A process that computes on one core, for as long as it lives.
class Competitor {
 public:
  explicit Competitor(unsigned core) : process_(::fork()) {
    if (process_ != 0) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    ::sched_setaffinity(0, sizeof(set), &set);
    for (std::atomic<unsigned> i = 0;; ++i) {
    }
  }
  ~Competitor() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Competitor(const Competitor&) = delete;
  Competitor& operator=(const Competitor&) = delete;

 private:
  pid_t process_;
};

unsigned last_core() {
  cpu_set_t all;
  CPU_ZERO(&all);
  ::sched_getaffinity(0, sizeof(all), &all);
  unsigned last = 0;
  for (unsigned core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &all)) last = core;
  return last;
}

// What is said of it does not depend on how fast the others are, which may be busy, too.
TEST(Qualify, ACoreThatAnotherProgramHasIsSeen) {
  const unsigned core = last_core();
  const Competitor competitor(core);
  const Qualified it = qualify({"--device=cpu", "--threshold=0"});
  EXPECT_EQ(it.result.exit_code, 0) << it.result.err;
  json about;
  for (const json& clue : it.record.at("hosts")[0].at("clues"))
    if (clue.at("subject") == "core " + std::to_string(core)) about = clue;
  ASSERT_FALSE(about.is_null()) << it.record.dump(1);
  EXPECT_THAT(about.at("text").get<std::string>(), HasSubstr("was used by other processes for "));
}

// The made-up machine has every processing unit of this one on a node of its own, the kernel has
// the first two on one node.
TEST(Qualify, AWrongDescriptionOfTheMachineIsSeen) {
  std::ifstream node("/sys/devices/system/node/node0/cpulist");
  std::string list;
  node >> list;
  if (!list.starts_with("0-") && !list.starts_with("0,1"))
    GTEST_SKIP() << "the kernel does not have two cores on its first NUMA node: " << list;
  const std::string file = scratch_folder("hwloc") + "/machine.xml";
  std::ofstream(file) << R"xml(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
 <object type="Machine" os_index="0" cpuset="0x3" complete_cpuset="0x3" allowed_cpuset="0x3"
         nodeset="0x3" complete_nodeset="0x3" allowed_nodeset="0x3" gp_index="1">
  <object type="Package" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1"
          complete_nodeset="0x1" gp_index="2">
   <object type="NUMANode" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1"
           complete_nodeset="0x1" gp_index="3" local_memory="1073741824"/>
   <object type="Core" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1"
           complete_nodeset="0x1" gp_index="4">
    <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1"
            complete_nodeset="0x1" gp_index="5"/>
   </object>
  </object>
  <object type="Package" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x2"
          complete_nodeset="0x2" gp_index="6">
   <object type="NUMANode" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x2"
           complete_nodeset="0x2" gp_index="7" local_memory="1073741824"/>
   <object type="Core" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x2"
           complete_nodeset="0x2" gp_index="8">
    <object type="PU" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x2"
            complete_nodeset="0x2" gp_index="9"/>
   </object>
  </object>
 </object>
</topology>
)xml";
  const Environment described(this_machine_is(file));
  const Qualified it = qualify({"--device=cpu", "--num_devices=2", "--threshold=0"});
  EXPECT_EQ(it.result.exit_code, 0) << it.result.err;
  EXPECT_THAT(it.result.out, HasSubstr("cpu:1: its memory is taken from NUMA node 1, but the "
                                       "kernel has its core 1 on another node"));
}

TEST(Qualify, OneCommandQualifiesTwoTasksAndRanksThem) {
  const Qualified it = qualify({"launch", "--workers=2", "--", "qualify", "--device=cpu",
                                "--num_devices=1", "--threshold=0", "--peer_timeout=30"},
                               "launch");
  EXPECT_EQ(it.result.exit_code, 0) << it.result.err;
  ASSERT_EQ(it.record.at("hosts").size(), 2u) << it.result.out << it.result.err;
  for (const json& host : it.record.at("hosts")) {
    std::size_t pairwise = 0, together = 0;
    for (const json& rate : rates(host, "link")) {
      pairwise += rate.at("what").get<std::string>().find(", pairwise") != std::string::npos;
      together += rate.at("what") == "copies between hosts, all at once";
    }
    EXPECT_EQ(pairwise, 2u) << host.dump(1);  // bytes and round trips, to the other one
    EXPECT_EQ(together, 1u) << host.dump(1);
    EXPECT_EQ(rates(host, "collective").size(), 3u);
  }
  EXPECT_THAT(it.result.out, HasSubstr("hosts, the slowest first"));
}

// Two hosts in a network of their own; what the second sends is held back by a token bucket.
TEST(Qualify, ASlowLinkBetweenHostsIsNamed) {
  const std::string reason = NetworkNamespaces::why_not();
  if (!reason.empty()) GTEST_SKIP() << "no network namespaces: " << reason;
  NetworkNamespaces network(2);
  network.limit_sending(1, "40mbit", "64kb");
  const std::string file = scratch_folder("qualify") + "/record.json";
  const std::string hosts =
      NetworkNamespaces::address(0) + ":5000," + NetworkNamespaces::address(1) + ":5000";
  std::vector<std::unique_ptr<RunningProgram>> tasks;
  for (const std::size_t host : {0u, 1u})
    tasks.push_back(std::make_unique<RunningProgram>(
        std::vector<std::string>{"qualify", "--worker_hosts=" + hosts, "--job_name=worker",
                                 "--task_index=" + std::to_string(host), "--insecure_network",
                                 "--quick", "--model=lenet", "--batch_size=2", "--device=cpu",
                                 "--num_devices=1", "--threshold=0.33", "--peer_timeout=30",
                                 "--output_file=" + file},
        network.host(host)));
  EXPECT_EQ(tasks[0]->exit_code(120), 4) << tasks[0]->out() << tasks[0]->err();
  EXPECT_EQ(tasks[1]->exit_code(120), 0) << tasks[1]->err();
  const json record = parse_json(std::ifstream(file));
  std::vector<std::string> slow;  // of the bytes, which the bucket holds back
  for (const json& host : record.at("hosts"))
    for (const json& rate : rates(host, "link"))
      if (rate.at("what").get<std::string>().starts_with("messages between hosts"))
        if (rate.at("slow")) slow.push_back(rate.at("subject"));
  EXPECT_THAT(slow, testing::ElementsAre(testing::StartsWith("worker 1"))) << record.dump(1);
}

TEST(Qualify, MistakesAreNamed) {
  const auto expect = [](const std::vector<std::string>& arguments, int code,
                         const std::string& text) {
    const ProgramResult result = run_convoy(arguments);
    EXPECT_EQ(result.exit_code, code) << result.out;
    EXPECT_THAT(result.err, HasSubstr(text));
  };
  expect({"qualify", "--threshold=2"}, 2, "--threshold=2");
  expect({"qualify", "--output_file=x.csv"}, 2, "--output_file=x.csv");
  expect({"launch", "--", "list"}, 2, "'list' after -- is not a verb that runs as several tasks");
  expect({"launch", "--servers=1", "--", "qualify", "--model=lenet"}, 2,
         "qualify has no parameter servers");
}

}  // namespace
}  // namespace convoy
