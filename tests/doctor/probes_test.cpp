// Probes that ask libraries, with libraries made up by the test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/doctor/probes.hpp"
#include "tests/doctor/sample_machines.hpp"

namespace convoy::testing {
namespace {

using doctor::Findings;
using ::testing::HasSubstr;

int cuda_version(int* version) {
  *version = 12020;
  return 0;
}
int nccl_version(int* version) {
  *version = 21803;
  return 0;
}
int old_nccl_version(int* version) {
  *version = 2804;
  return 0;
}
int nvrtc_version(int* major, int* minor) {
  *major = 12;
  *minor = 4;
  return 0;
}
std::size_t cudnn_version() {
  return 8902;
}
int start_management() {
  return 0;
}
int count_two(unsigned* count) {
  *count = 2;
  return 0;
}
int device_at(unsigned index, void** device) {
  static char devices[2];
  *device = &devices[index];
  return 0;
}
int pci_of(void*, void*) {
  return 0;
}
// Four links, the last one down; 3: there is no such link.
int link_state(void*, unsigned link, unsigned* state) {
  *state = link < 3 ? 1 : 0;
  return link < 4 ? 0 : 3;
}
// The first GPU reads the second one, not the other way round.
int peer_status(void* from, void* to, unsigned, unsigned* status) {
  *status = from < to ? 0 : 5;
  return 0;
}

template <typename Function>
void* address_of(Function function) {
  return reinterpret_cast<void*>(function);
}

// Only the libraries named are there, with all functions above.
DynamicLibraries made_up(const std::vector<std::string>& names) {
  static char handle;
  const std::map<std::string, void*> functions = {
      {"cuDriverGetVersion", address_of(cuda_version)},
      {"ncclGetVersion", address_of(nccl_version)},
      {"cudnnGetVersion", address_of(cudnn_version)},
      {"nvrtcVersion", address_of(nvrtc_version)},
      {"nvmlInit_v2", address_of(start_management)},
      {"nvmlDeviceGetCount_v2", address_of(count_two)},
      {"nvmlDeviceGetHandleByIndex_v2", address_of(device_at)},
      {"nvmlDeviceGetPciInfo_v3", address_of(pci_of)},
      {"nvmlDeviceGetNvLinkState", address_of(link_state)},
      {"nvmlDeviceGetP2PStatus", address_of(peer_status)}};
  DynamicLibraries libraries;
  libraries.open = [names](const std::string& name, std::string& reason) -> void* {
    for (const std::string& known : names)
      if (known == name) return &handle;
    reason = name + ": no such file";
    return nullptr;
  };
  libraries.symbol = [functions](void*, const char* name) -> void* {
    const auto found = functions.find(name);
    return found == functions.end() ? nullptr : found->second;
  };
  libraries.file = [](void* function) {
    return std::string(function == address_of(nvrtc_version) ? "/opt/libnvrtc.so.12.4" : "");
  };
  return libraries;
}

Findings libraries_of(const MachineFiles& files, const DynamicLibraries& libraries) {
  Findings findings;
  doctor::probe_cuda_libraries(SystemRoot(files.root()), libraries, findings);
  return findings;
}

TEST(LibraryProbe, SaysVersionsAndWhatIsMissing) {
  const Findings findings =
      libraries_of(gpu_server(), made_up({"libcuda.so.1", "libcudnn.so.8", "libnccl.so.2"}));
  EXPECT_EQ(find(findings, "CUDA driver library").text, "libcuda.so.1, 12.2 (12020)");
  EXPECT_EQ(find(findings, "cuDNN").text, "libcudnn.so.8, 8.9 (8902)");
  EXPECT_EQ(find(findings, "NCCL").text, "libnccl.so.2, 2.18 (21803)");
  const doctor::Finding runtime = find(findings, "CUDA runtime");
  EXPECT_EQ(health_name(runtime.health), "warn");
  EXPECT_THAT(runtime.text, HasSubstr("no such file"));
  EXPECT_FALSE(runtime.advice.empty());
}

TEST(LibraryProbe, ReadsVersionsOfNcclBefore29) {
  DynamicLibraries libraries = made_up({"libnccl.so.2"});
  libraries.symbol = [](void*, const char*) { return address_of(old_nccl_version); };
  EXPECT_EQ(find(libraries_of(gpu_server(), libraries), "NCCL").text, "libnccl.so.2, 2.8 (2804)");
}

// Kernels of strategies need it on GPUs; it is looked for where the CUDA plug-in finds it.
TEST(LibraryProbe, SaysWhereTheCompilerOfKernelsIs) {
  for (const char* name : {"libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.12"}) {
    const Findings findings = libraries_of(gpu_server(), made_up({name}));
    EXPECT_EQ(find(findings, "NVRTC").text, "libnvrtc.so.12, 12.4 (12040), /opt/libnvrtc.so.12.4");
    EXPECT_EQ(health_name(find(findings, "NVRTC").health), "ok");
  }
  const doctor::Finding missing = find(libraries_of(gpu_server(), made_up({})), "NVRTC");
  EXPECT_EQ(health_name(missing.health), "warn");
  EXPECT_THAT(missing.text, HasSubstr("no such file"));
  EXPECT_THAT(missing.advice, HasSubstr("cuda-nvrtc"));
}

TEST(LibraryProbe, FailsWhenTheKernelDriverHasNoLibrary) {
  EXPECT_EQ(
      health_name(find(libraries_of(gpu_server(), made_up({})), "CUDA driver library").health),
      "fail");
  MachineFiles without_driver = gpu_server();
  std::filesystem::remove_all(without_driver.root() / "proc/driver");
  EXPECT_EQ(
      health_name(find(libraries_of(without_driver, made_up({})), "CUDA driver library").health),
      "warn");
}

TEST(PeerProbe, CountsLinksAndPairs) {
  Findings findings;
  doctor::probe_gpu_links(made_up({"libnvidia-ml.so.1"}), findings);
  EXPECT_EQ(find(findings, "NVLink").text, "6 of 8 links up");
  EXPECT_EQ(health_name(find(findings, "NVLink").health), "warn");
  EXPECT_EQ(find(findings, "peer access").text, "1 of 2 pairs of GPUs");
}

TEST(PeerProbe, DoesNotKnowWithoutTheManagementLibrary) {
  Findings findings;
  doctor::probe_gpu_links(made_up({}), findings);
  const doctor::Finding finding = find(findings, "NVLink and peer access");
  EXPECT_EQ(health_name(finding.health), "unknown");
  EXPECT_THAT(finding.text, HasSubstr("no such file"));
}

Findings selected(const topology::GpuVariables& variables, const std::string& nvml,
                  const std::string& gpu_indices = {}) {
  Findings findings;
  doctor::probe_gpu_selection(variables, gpu_indices, nvml, findings);
  return findings;
}

TEST(GpuSelectionProbe, NamesTheGpusThatTheVariablesLeave) {
  const Findings fine = selected({.visible = "GPU-c,GPU-a"}, CONVOY_FAKE_NVML);
  ASSERT_EQ(fine.size(), 4u);
  EXPECT_EQ(fine[0].health, doctor::Health::kOk);
  EXPECT_EQ(fine[0].text,
            "2 of 3: 0000:a0:00.0, 0000:30:00.0 (CUDA_VISIBLE_DEVICES='GPU-c,GPU-a')");
  const Findings slice = selected({.visible = "MIG-1111", .container = "all"}, CONVOY_FAKE_NVML);
  EXPECT_THAT(slice.at(0).text, HasSubstr("1 of 3: MIG-11111111-"));
  EXPECT_THAT(slice.at(0).text, HasSubstr("NVIDIA_VISIBLE_DEVICES='all'"));
}

TEST(GpuSelectionProbe, ListsEveryGpuWithItsIdAndNumber) {
  const Findings findings = selected({.visible = "GPU-c,GPU-a"}, CONVOY_FAKE_NVML);
  EXPECT_THAT(find(findings, "GPU 0 of the driver").text, HasSubstr("0000:30:00.0 NVIDIA A100"));
  EXPECT_THAT(find(findings, "GPU 0 of the driver").text, HasSubstr("device 1 of this process"));
  EXPECT_THAT(find(findings, "GPU 1 of the driver").text,
              HasSubstr("hidden by CUDA_VISIBLE_DEVICES='GPU-c,GPU-a'"));
  EXPECT_THAT(find(findings, "GPU 2 of the driver").text, HasSubstr("device 0 of this process"));
}

TEST(GpuSelectionProbe, SaysWhichGpusTheFlagOfARunTakes) {
  const auto taken = [](const std::string& flag) {
    return find(selected({.visible = "GPU-c,GPU-a"}, CONVOY_FAKE_NVML, flag),
                "--gpu_indices=" + flag);
  };
  EXPECT_EQ(taken("1,GPU-c").text, "replica 0: 0000:30:00.0, replica 1: 0000:a0:00.0");
  EXPECT_EQ(taken("1,GPU-c").health, doctor::Health::kOk);
  EXPECT_EQ(taken("0,2").text, "replica 0: 0000:a0:00.0, replica 1: no GPU is '2'");
  EXPECT_EQ(taken("0,2").health, doctor::Health::kWarn);
  EXPECT_EQ(taken("GPU-b").health, doctor::Health::kWarn) << "this process cannot use it";
}

TEST(GpuSelectionProbe, WarnsOfEntriesThatNameNothing) {
  const Findings cut = selected({.visible = "GPU-a,GPU-f,GPU-c"}, CONVOY_FAKE_NVML);
  EXPECT_EQ(cut.at(0).health, doctor::Health::kWarn);
  EXPECT_THAT(cut.at(0).text, HasSubstr("1 of 3: 0000:30:00.0"));
  EXPECT_THAT(cut.at(0).text, HasSubstr("entry 2 of CUDA_VISIBLE_DEVICES, 'GPU-f', names no GPU"));
  EXPECT_THAT(cut.at(0).advice, HasSubstr("nvidia-smi -L"));
  EXPECT_THAT(selected({.visible = ""}, CONVOY_FAKE_NVML).at(0).text, HasSubstr("none of 3"));
  EXPECT_THAT(selected({.visible = "0"}, CONVOY_FAKE_NVML).at(0).text, HasSubstr("is unknown"));
}

TEST(GpuSelectionProbe, SaysNothingWhereThereIsNeitherDriverNorVariable) {
  EXPECT_TRUE(selected({}, "libno-such-nvml.so.1").empty());
  EXPECT_EQ(selected({}, "libno-such-nvml.so.1", "0").at(0).health, doctor::Health::kUnknown);
  EXPECT_EQ(selected({.visible = "0"}, "libno-such-nvml.so.1").at(0).health,
            doctor::Health::kUnknown);
}

}  // namespace
}  // namespace convoy::testing
