// A file that describes a program for simulations (--software): any bytes. What is read has a name
// and constants that a simulation can compute with.
#include <cmath>

#include "core/simulate/machine/described_constants.hpp"
#include "tests/fuzz/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static convoy::fuzz::MemoryFile file;
  file.write(convoy::fuzz::as_text(data, size));
  convoy::fuzz::expect_result_or_error([&] {
    const convoy::simulate::SoftwareProfile profile =
        convoy::simulate::read_software_profile(CONVOY_SOURCE_DIR "/share/profiles", file.path());
    for (const double share :
         {profile.network_progress, profile.incast_loss, profile.straggler_sigma})
      CONVOY_CHECK(share >= 0 && share <= 1);
    CONVOY_CHECK(profile.network_progress == 1 || profile.rpc_bytes_per_second > 0);
    CONVOY_CHECK(std::isfinite(profile.copy_seconds + profile.rpc_seconds));
  });
  return 0;
}
