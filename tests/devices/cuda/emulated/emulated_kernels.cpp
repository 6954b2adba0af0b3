// Kernels of strategies without a GPU: their CUDA source is compiled by the host's compiler.
#include <dlfcn.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "plugins/devices/cuda/libraries/loaded_kernel.hpp"
#include "tests/devices/cuda/emulated/emulation.hpp"

namespace convoy::cuda {
namespace {

namespace fs = std::filesystem;

// As the shim has it.
struct Thread {
  const emulation::Index* thread;
  const emulation::Index* block;
  const dim3* block_size;
  const dim3* grid_size;
  void (*meet)();
};

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "convoy_kernel_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder to compile in");
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The library stays open: other kernels may still be launched from it. Without contraction, as the
// plug-in has NVRTC compile.
void* compile(const convoy_kernel_code& code) {
  const ScratchFolder folder;
  std::ofstream(folder / "kernel.cpp")
      << "#include \"tests/devices/cuda/emulated/strategy_kernel_shim.hpp\"\n#line 1 \""
      << code.kernel << ".cu\"\n"
      << code.text;
  const std::string command = std::string(CONVOY_EMULATION_COMPILER) +
                              " -std=c++17 -O2 -ffp-contract=off -fPIC -shared -w" +
                              " -fvisibility=hidden -I" CONVOY_SOURCE_FOLDER
                              " -I" CONVOY_SOURCE_FOLDER "/core/include -o '" +
                              (folder / "kernel.so").string() + "' '" +
                              (folder / "kernel.cpp").string() + "' 2> '" +
                              (folder / "log").string() + "'";
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error("the compiler does not take its CUDA source:\n" +
                             text_of(folder / "log"));
  void* const library = dlopen((folder / "kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return library;
}

class EmulatedKernel : public LoadedKernel {
 public:
  explicit EmulatedKernel(const convoy_kernel_code& code)
      : meets_(std::string(code.text).find("__syncthreads") != std::string::npos) {
    void* const library = compile(code);
    *static_cast<Thread*>(dlsym(library, "convoy_emulated_thread")) = {
        &emulation::thread_index, &emulation::block_index, &emulation::block_size,
        &emulation::grid_size, emulation::meet};
    entry_ = reinterpret_cast<void (*)(convoy_cuda_call)>(dlsym(library, code.entry));
    if (entry_ == nullptr)
      throw std::runtime_error("its text has no function '" + std::string(code.entry) +
                               "': declare it extern \"C\" __global__, or correct the entry");
  }

  void launch(Stream stream, unsigned blocks, unsigned threads,
              const convoy_cuda_call& call) const override {
    const auto kernel = [entry = entry_, call] { entry(call); };
    if (meets_)
      emulation::launch<true>(dim3(blocks), dim3(threads), 0, stream, kernel);
    else
      emulation::launch<false>(dim3(blocks), dim3(threads), 0, stream, kernel);
  }

 private:
  bool meets_;
  void (*entry_)(convoy_cuda_call) = nullptr;
};

}  // namespace

std::unique_ptr<LoadedKernel> load_kernel(const convoy_kernel_code& code) {
  if (code.form == CONVOY_KERNEL_PTX)
    throw std::runtime_error("emulated GPUs run no PTX: give the kernel as CUDA source");
  return std::make_unique<EmulatedKernel>(code);
}

}  // namespace convoy::cuda
