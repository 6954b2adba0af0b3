#include <fmt/format.h>

#include <optional>
#include <sstream>

#include "core/doctor/probes.hpp"

namespace convoy::doctor {
namespace {

using IntVersion = int (*)(int*);
using PlainVersion = std::size_t (*)();
using PairVersion = int (*)(int*, int*);

// How a function reports the version: it writes it to an int, returns it, or writes its two
// numbers.
enum class Tells { kNumber, kResult, kPair };

struct Library {
  const char* subject;
  std::vector<const char*> names;  // newest version first
  const char* function;            // the function that reports the version
  Tells tells;
  int divisor;  // divides the version number to get the major version
  const char* advice;
};

std::vector<Library> cuda_libraries() {
  return {{"CUDA driver library",
           {"libcuda.so.1"},
           "cuDriverGetVersion",
           Tells::kNumber,
           1000,
           "it comes with NVIDIA's driver: install the same version as the kernel driver's; in a "
           "container: docker run --gpus all"},
          {"CUDA runtime",
           {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"},
           "cudaRuntimeGetVersion",
           Tells::kNumber,
           1000,
           "install the CUDA toolkit, or extend LD_LIBRARY_PATH"},
          {"cuDNN",
           {"libcudnn.so.9", "libcudnn.so.8"},
           "cudnnGetVersion",
           Tells::kResult,
           1000,
           "install cuDNN for this CUDA version"},
          {"NVRTC",
           {"libnvrtc.so.13", "libnvrtc.so.12"},
           "nvrtcVersion",
           Tells::kPair,
           1000,
           "kernels that strategies bring for GPUs are compiled by it: install the CUDA toolkit's "
           "cuda-nvrtc, or extend LD_LIBRARY_PATH; training with other strategies does without"},
          {"NCCL", {"libnccl.so.2"}, "ncclGetVersion", Tells::kNumber, 10000, "install libnccl2"}};
}

// Decodes a version number. CUDA: 12020 is 12.2. cuDNN 8: 8902 is 8.9. cuDNN 9: 90100 is 9.1. NCCL:
// 21803 is 2.18; up to 2.8, the fourth digit from the right is the major number, so 2804 is 2.8.
std::string version_text(const Library& library, std::int64_t version) {
  if (library.divisor == 10000 && version < 10000)
    return fmt::format("{}.{} ({})", version / 1000, version % 1000 / 100, version);
  const std::int64_t divisor =
      library.tells == Tells::kResult && version >= 90000 ? 10000 : library.divisor;
  const std::int64_t rest = version % divisor;
  const bool hundreds = divisor == 10000 || library.tells == Tells::kResult;
  const std::int64_t minor = rest / (hundreds ? 100 : 10);
  return fmt::format("{}.{} ({})", version / divisor, minor, version);
}

std::optional<std::int64_t> ask_version(const DynamicLibraries& libraries, void* handle,
                                        const Library& library) {
  if (library.tells == Tells::kResult) {
    const auto ask = libraries.function<PlainVersion>(handle, library.function);
    if (ask == nullptr) return std::nullopt;
    return static_cast<std::int64_t>(ask());
  }
  if (library.tells == Tells::kPair) {
    const auto ask = libraries.function<PairVersion>(handle, library.function);
    int major = 0;
    int minor = 0;
    if (ask == nullptr || ask(&major, &minor) != 0) return std::nullopt;
    return major * library.divisor + 10 * minor;
  }
  const auto ask = libraries.function<IntVersion>(handle, library.function);
  int version = 0;
  if (ask == nullptr || ask(&version) != 0 || version <= 0) return std::nullopt;
  return version;
}

// Opens a library as the CUDA plug-in does: by the loader, then in the toolkit's usual folders.
void* open_anywhere(const DynamicLibraries& libraries, const std::string& name,
                    std::string& reason) {
  if (void* const handle = libraries.open(name, reason)) return handle;
  std::istringstream folders(CONVOY_CUDA_FOLDERS);
  for (std::string folder, unused; std::getline(folders, folder, ':');)
    if (void* const handle = libraries.open(fmt::format("{}/{}", folder, name), unused))
      return handle;
  return nullptr;
}

Finding examine_library(const DynamicLibraries& libraries, const Library& library,
                        Health if_missing) {
  std::string reason;
  for (const char* name : library.names) {
    void* const handle = open_anywhere(libraries, name, reason);
    if (handle == nullptr) continue;
    const auto version = ask_version(libraries, handle, library);
    void* const function = libraries.symbol(handle, library.function);
    const std::string file = function == nullptr ? std::string() : libraries.file(function);
    return {library.subject, version ? Health::kOk : Health::kUnknown,
            fmt::format("{}, {}{}{}", name,
                        version ? version_text(library, *version) : "version unknown",
                        file.empty() ? "" : ", ", file),
            ""};
  }
  return {library.subject, if_missing, reason, library.advice};
}

}  // namespace

void probe_cuda_libraries(const SystemRoot& root, const DynamicLibraries& libraries,
                          Findings& findings) {
  // A kernel driver without its library is a broken installation. Other libraries are only missing.
  const bool driver = root.exists("proc/driver/nvidia/version");
  for (const Library& library : cuda_libraries())
    findings.push_back(examine_library(
        libraries, library,
        driver && library.names.front() == std::string("libcuda.so.1") ? Health::kFail
                                                                       : Health::kWarn));
}

void probe_libraries(const SystemRoot& root, const DynamicLibraries& libraries,
                     Findings& findings) {
  if (!root.exists("sys/bus/pci"))
    return findings.push_back({"CUDA libraries", Health::kUnknown,
                               "not looked for: it cannot be seen whether there are GPUs", ""});
  if (nvidia_gpu_count(root) == 0)
    return findings.push_back(
        {"CUDA libraries", Health::kOk, "not looked for: there is no NVIDIA GPU", ""});
  if (root.is_this_machine()) return probe_cuda_libraries(root, libraries, findings);
  findings.push_back({"CUDA libraries", Health::kUnknown,
                      "not looked for: these are another machine's files", ""});
}

}  // namespace convoy::doctor
