#include "plugins/devices/cuda/libraries/loaded_kernel.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <array>
#include <bit>
#include <stdexcept>
#include <string>

#include "plugins/devices/cuda/gpu/gpu_memory.hpp"
#include "plugins/devices/cuda/libraries/dynamic_library.hpp"
#include "plugins/devices/cuda/libraries/source_compiler.hpp"
#include "plugins/devices/cuda/status.hpp"

namespace convoy::cuda {
namespace {

// The driver's functions that load code; the runtime has the others. One object per process.
struct DriverLibrary {
  DriverLibrary() : library({"libcuda.so.1"}, "a strategy's kernel on a GPU") {
    library.load(error_text, "cuGetErrorString");
    library.load(load, "cuModuleLoadDataEx");
    library.load(unload, "cuModuleUnload");
    library.load(function, "cuModuleGetFunction");
    library.load(launch, "cuLaunchKernel");
  }

  decltype(&cuGetErrorString) error_text = nullptr;
  decltype(&cuModuleLoadDataEx) load = nullptr;
  decltype(&cuModuleUnload) unload = nullptr;
  decltype(&cuModuleGetFunction) function = nullptr;
  decltype(&cuLaunchKernel) launch = nullptr;
  DynamicLibrary library;
};

const DriverLibrary& driver() {
  static const DriverLibrary kLibrary;
  return kLibrary;
}

void require_driver(CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  driver().error_text(result, &text);
  throw std::runtime_error(what + ": " + (text == nullptr ? "an unknown error" : text));
}

class ModuleKernel : public LoadedKernel {
 public:
  ModuleKernel(const std::string& binary, const char* entry) {
    load(binary);
    const CUresult found = driver().function(&function_, module_, entry);
    if (found == CUDA_SUCCESS) return;
    unload();
    throw std::runtime_error("its text has no function '" + std::string(entry) +
                             "': declare it extern \"C\" __global__, or correct the entry");
  }
  ~ModuleKernel() override { unload(); }

  void launch(Stream stream, unsigned blocks, unsigned threads,
              const convoy_cuda_call& call) const override {
    void* argument = const_cast<convoy_cuda_call*>(&call);
    require_driver(
        driver().launch(function_, blocks, 1, 1, threads, 1, 1, 0, stream, &argument, nullptr),
        "starting a strategy's kernel");
  }

 private:
  void load(const std::string& binary) {
    std::array<char, 8192> log{};
    std::array options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    // The driver takes numbers in place of pointers.
    std::array<void*, 2> values = {log.data(), std::bit_cast<void*>(log.size())};
    const auto turn = memory_turn();
    const CUresult result =
        driver().load(&module_, binary.c_str(), options.size(), options.data(), values.data());
    require_driver(result, "the driver does not load it\n" + std::string(log.data()));
  }

  void unload() const {
    const auto turn = memory_turn();
    driver().unload(module_);
  }

  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
};

int capability_of_gpu() {
  int gpu = 0, major = 0, minor = 0;
  require(cudaGetDevice(&gpu), "asking for the GPU");
  require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu), "asking the GPU");
  require(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, gpu), "asking the GPU");
  return 10 * major + minor;
}

}  // namespace

std::unique_ptr<LoadedKernel> load_kernel(const convoy_kernel_code& code) {
  const std::string binary = code.form == CONVOY_KERNEL_PTX
                                 ? std::string(code.text)
                                 : compile_source(code, capability_of_gpu());
  return std::make_unique<ModuleKernel>(binary, code.entry);
}

}  // namespace convoy::cuda
