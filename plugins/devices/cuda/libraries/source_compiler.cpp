#include "plugins/devices/cuda/libraries/source_compiler.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "plugins/devices/cuda/libraries/nvrtc_library.hpp"
#include "plugins/devices/cuda/sdk_headers.hpp"

namespace convoy::cuda {
namespace {

class Program {
 public:
  explicit Program(const convoy_kernel_code& code) {
    const std::string name = std::string(code.kernel) + ".cu";
    const std::array texts = {kCudaCallHeader, kCudaKernelHeader};
    const std::array names = {"convoy/abi/cuda_call.h", "convoy/cuda_kernel.hpp"};
    nvrtc().require(nvrtc().create(&program_, code.text, name.c_str(), texts.size(), texts.data(),
                                   names.data()),
                    "preparing to compile");
  }
  ~Program() { nvrtc().destroy(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void compile(const std::string& architecture) {
    const std::array options = {architecture.c_str(), "--std=c++17", "--fmad=false",
                                "--device-as-default-execution-space"};
    if (nvrtc().compile(program_, options.size(), options.data()) != 0)
      throw std::runtime_error("the compiler does not take its CUDA source:\n" +
                               text(nvrtc().log_size, nvrtc().log));
  }
  std::string text(int (*size_of)(NvrtcLibrary::Program, std::size_t*),
                   int (*copy)(NvrtcLibrary::Program, char*)) const {
    std::size_t size = 0;
    nvrtc().require(size_of(program_, &size), "asking for what was compiled");
    std::string result(size, '\0');
    nvrtc().require(copy(program_, result.data()), "reading what was compiled");
    return result;
  }

 private:
  NvrtcLibrary::Program program_ = nullptr;
};

std::vector<int> known_capabilities() {
  int count = 0;
  nvrtc().require(nvrtc().architecture_count(&count), "asking which GPUs it knows");
  std::vector<int> known(static_cast<std::size_t>(count));
  nvrtc().require(nvrtc().architectures(known.data()), "asking which GPUs it knows");
  return known;
}

}  // namespace

std::string compile_source(const convoy_kernel_code& code, int capability) {
  const std::vector<int> known = known_capabilities();
  const auto above = std::upper_bound(known.begin(), known.end(), capability);
  if (above == known.begin())
    throw std::runtime_error("the installed NVRTC compiles for GPUs of compute capability " +
                             std::to_string(known.front()) + " and newer, and this one has " +
                             std::to_string(capability) +
                             ": install a toolkit that still knows it, or give the kernel as PTX");
  const int nearest = *(above - 1);
  const bool is_known = nearest == capability;
  Program program(code);
  program.compile((is_known ? "--gpu-architecture=sm_" : "--gpu-architecture=compute_") +
                  std::to_string(nearest));
  return is_known ? program.text(nvrtc().binary_size, nvrtc().binary)
                  : program.text(nvrtc().ptx_size, nvrtc().ptx);
}

}  // namespace convoy::cuda
