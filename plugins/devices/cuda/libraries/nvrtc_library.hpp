#pragma once

#include <cstddef>

#include "plugins/devices/cuda/libraries/dynamic_library.hpp"

namespace convoy::cuda {

// The functions of NVRTC, NVIDIA's compiler library, that the plug-in uses. They are declared here
// because a toolkit may lack its header. One object per process.
class NvrtcLibrary {
 public:
  using Program = struct ProgramOfNvrtc*;

  NvrtcLibrary();

  const char* (*error_text)(int) = nullptr;
  int (*architecture_count)(int*) = nullptr;
  int (*architectures)(int*) = nullptr;  // compute capabilities such as 80, ascending
  int (*create)(Program*, const char* source, const char* name, int headers,
                const char* const* header_texts, const char* const* header_names) = nullptr;
  int (*destroy)(Program*) = nullptr;
  int (*compile)(Program, int options, const char* const* option_texts) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*binary_size)(Program, std::size_t*) = nullptr;
  int (*binary)(Program, char*) = nullptr;
  int (*ptx_size)(Program, std::size_t*) = nullptr;
  int (*ptx)(Program, char*) = nullptr;

  void require(int status, const char* what) const;

 private:
  DynamicLibrary library_;
};

// Opens the library at the first call; every call throws if it cannot be opened.
const NvrtcLibrary& nvrtc();

}  // namespace convoy::cuda
