#pragma once

#include <string>
#include <vector>

namespace convoy::cuda {

// Of the code that a build of this plug-in has, what a GPU runs. Capabilities are ten times major
// plus minor: 90 is 9.0.
enum class GpuCode { kOwn, kCompiledByDriver, kNone };

// binaries: capabilities that there is machine code for, in ascending order. There is PTX of 80, or
// of the newest where that is older. Machine code runs on GPUs of its own major capability that are
// not older; PTX on all that are not older. Nothing known: kOwn.
GpuCode code_for(int capability, const std::vector<int>& binaries);

// What this build has; empty: unknown.
std::vector<int> built_capabilities();

// A notice about a GPU for which this build has no code of its own: the driver compiles it, or it
// cannot run. Empty for kOwn.
std::string code_notice(const std::string& gpu, int capability, const std::vector<int>& binaries);

}  // namespace convoy::cuda
