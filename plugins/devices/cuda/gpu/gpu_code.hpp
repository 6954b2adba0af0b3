#pragma once

#include <string>
#include <vector>

namespace convoy::cuda {

// Which code of a build of this plug-in a GPU runs. Capabilities are ten times major plus minor: 90
// is 9.0.
enum class GpuCode { kOwn, kCompiledByDriver, kNone };

// binaries: the capabilities with machine code, in ascending order. There is PTX for 80, or for the
// newest capability if that is older. Machine code runs on GPUs of its own major capability that
// are not older, PTX on all GPUs that are not older. kOwn if nothing is known.
GpuCode code_for(int capability, const std::vector<int>& binaries);

// The capabilities of this build; empty: unknown.
std::vector<int> built_capabilities();

// Returns a notice about a GPU for which this build has no code of its own: the driver compiles it,
// or it cannot run. Empty for kOwn.
std::string code_notice(const std::string& gpu, int capability, const std::vector<int>& binaries);

}  // namespace convoy::cuda
