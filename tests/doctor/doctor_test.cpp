// Whole examinations of sample machines: what is said about each, and that nothing throws.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/text/json.hpp"
#include "core/doctor/examine.hpp"
#include "tests/doctor/sample_machines.hpp"

namespace convoy::testing {
namespace {

using doctor::Findings;
using doctor::Health;
using ::testing::HasSubstr;

Findings examine(const MachineFiles& files) {
  return doctor::examine(SystemRoot(files.root()), "", false);
}

void expect_finding(const Findings& findings, const std::string& subject, Health health,
                    const std::string& text, const std::string& advice = "") {
  const doctor::Finding finding = find(findings, subject);
  EXPECT_EQ(health_name(finding.health), health_name(health)) << subject << ": " << finding.text;
  EXPECT_THAT(finding.text, HasSubstr(text));
  EXPECT_THAT(finding.advice, HasSubstr(advice));
  EXPECT_TRUE(health != Health::kOk || finding.advice.empty()) << finding.advice;
}

TEST(Doctor, FindsNothingWrongWithABareMachine) {
  const Findings findings = examine(bare_machine());
  expect_finding(findings, "operating system", Health::kOk, "Debian GNU/Linux 12 (bookworm)");
  expect_finding(findings, "kernel", Health::kOk, "6.1.0-13-amd64");
  expect_finding(findings, "container", Health::kOk, "none");
  expect_finding(findings, "virtual machine", Health::kOk, "no (Supermicro)");
  expect_finding(findings, "vector instructions", Health::kOk, "AVX2, FMA, AVX-512, BF16, AMX");
  expect_finding(findings, "processors", Health::kOk, "8 online");
  expect_finding(findings, "frequency governor", Health::kOk, "performance on 2");
  expect_finding(findings, "memory", Health::kOk, "32.0 GiB, 30.0 GiB available");
  expect_finding(findings, "NUMA", Health::kOk, "2 memory nodes");
  expect_finding(findings, "transparent huge pages", Health::kOk, "madvise");
  expect_finding(findings, "/dev/shm", Health::kOk, "16.0 GiB");  // half of the memory
  expect_finding(findings, "limit of locked memory", Health::kOk, "unlimited");
  expect_finding(findings, "limit of the stack", Health::kOk, "8.0 MiB");
  expect_finding(findings, "GPUs", Health::kOk, "none on the PCI bus");
}

TEST(Doctor, SaysWhatAContainerLimits) {
  for (const int version : {2, 1}) {
    SCOPED_TRACE("control groups of version " + std::to_string(version));
    const Findings findings = examine(limited_container(version));
    expect_finding(findings, "container", Health::kOk, "Docker");
    expect_finding(findings, "processors", Health::kWarn, "allows the time of 2.50",
                   "--num_intra_threads=2");
    expect_finding(findings, "memory", Health::kWarn, "the control group allows 2.0 GiB",
                   "--memory");
    expect_finding(findings, "/dev/shm", Health::kWarn, "64.0 MiB", "--shm-size");
    expect_finding(findings, "limit of locked memory", Health::kOk, "64.0 KiB, enough without");
    expect_finding(findings, "limit of the stack", Health::kUnknown, "does not say");
  }
}

// Adapters register memory, which counts as locked. Memory that CUDA pins does not.
TEST(Doctor, WarnsOfLittleLockedMemoryWhereThereIsInfiniBand) {
  MachineFiles cluster_node = limited_container(2);
  cluster_node.file("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  expect_finding(examine(cluster_node), "limit of locked memory", Health::kWarn, "64.0 KiB",
                 "memlock");
}

TEST(Doctor, ComparesLinksOfGpusWithWhatTheyCanDo) {
  const Findings findings = examine(gpu_server());
  expect_finding(findings, "GPU 0000:17:00.0", Health::kOk, "0x10de:0x20b5, driver nvidia");
  expect_finding(findings, "PCIe of 0000:17:00.0", Health::kOk, "16 of 16 lanes");
  expect_finding(findings, "PCIe of 0000:65:00.0", Health::kWarn, "8 of 16 lanes, up to 16.0 GT/s",
                 "2.0 times as long");
  expect_finding(findings, "NVIDIA kernel driver", Health::kOk, "535.104.05");
  expect_finding(findings, "CUDA libraries", Health::kUnknown, "another machine");
  expect_finding(findings, "IOMMU", Health::kWarn, "on, 1 groups", "iommu=pt");
  for (const char* option : {"iommu=pt", "iommu.passthrough=1"})
    expect_finding(examine(gpu_server().file("proc/cmdline", std::string("ro ") + option + "\n")),
                   "IOMMU", Health::kOk, "passing devices through");
  expect_finding(findings, "access control of PCIe bridges", Health::kWarn,
                 "redirects at 1 of 1 bridges", "firmware");
  expect_finding(findings, "InfiniBand mlx5_0 port 1", Health::kOk, "100 Gb/sec");
  expect_finding(findings, "InfiniBand mlx5_1 port 1", Health::kWarn, "DOWN", "cable");
}

TEST(Doctor, KnowsNothingOfAnEmptyRootAndSaysSo) {
  const Findings findings = examine(MachineFiles());
  for (const char* subject :
       {"operating system", "kernel", "container", "virtual machine", "vector instructions",
        "processors", "frequency governor", "memory", "NUMA", "transparent huge pages", "/dev/shm",
        "limit of open files", "GPUs", "NVIDIA kernel driver", "CUDA libraries", "InfiniBand"})
    EXPECT_EQ(health_name(find(findings, subject).health), "unknown") << subject;
}

TEST(Doctor, SurvivesFilesOfAnyContents) {
  for (const std::string text : {"", "\n", ":", "max", "-1", "99999999999999999999", "[", "][",
                                 "0-", "3-1", ",", "\xff\xfe\n\n::\t=", "Max open files"}) {
    MachineFiles files = gpu_server();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(files.root()))
      if (entry.is_regular_file())
        files.file(entry.path().lexically_relative(files.root()).string(), text);
    std::ostringstream out;
    print_findings_json(out, examine(files));
    EXPECT_NO_THROW(parse_json(out.str())) << out.str();
  }
}

TEST(Doctor, FailsWithTooLittleMemory) {
  MachineFiles small = bare_machine();
  small.file("proc/meminfo", "MemTotal: 524288 kB\nMemAvailable: 262144 kB\n");
  const Findings findings = examine(small);
  expect_finding(findings, "memory", Health::kFail, "256.0 MiB available", "too little");
  EXPECT_TRUE(any_failed(findings));
}

// The limit of the container is no help where others have the memory, on the machine or in it.
TEST(Doctor, FailsWhereOthersLeaveTooLittleMemory) {
  MachineFiles machine = limited_container(2);
  machine.file("proc/meminfo", "MemTotal: 67108864 kB\nMemAvailable: 500000 kB\n");
  expect_finding(examine(machine), "memory", Health::kFail, "488.3 MiB available", "too little");
  MachineFiles group = limited_container(2);
  group.file("sys/fs/cgroup/memory.current", "1900000000\n");
  expect_finding(examine(group), "memory", Health::kFail,
                 "allows 2.0 GiB, of which 236.0 MiB are free", "too little");
}

TEST(Doctor, PrintsTextAndJsonOfTheSameFindings) {
  const Findings findings = {{"memory", Health::kWarn, "1 GiB", "buy more"},
                             {"kernel", Health::kOk, "Linux", ""}};
  std::ostringstream text;
  print_findings(text, findings);
  EXPECT_EQ(text.str(),
            "warn     memory  1 GiB\n"
            "                 -> buy more\n"
            "ok       kernel  Linux\n"
            "1 ok, 1 to improve, 0 to repair, 0 unknown\n");
  std::ostringstream json;
  print_findings_json(json, findings);
  const auto document = parse_json(json.str());
  EXPECT_EQ(document["healthy"], true);
  EXPECT_EQ(document["findings"][0]["advice"], "buy more");
  EXPECT_EQ(document["findings"][1]["health"], "ok");
}

}  // namespace
}  // namespace convoy::testing
