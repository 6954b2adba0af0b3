// A calibration file: any bytes. What is read makes machines on which every layer takes a time, and
// says the same when it is written and read again.
#include <cmath>

#include "core/calibrate/calibrated_cluster.hpp"
#include "core/calibrate/profile_file.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using namespace convoy::calibrate;

void time_layers(const MachineProfile& profile, std::uint32_t devices) {
  const auto cluster = calibrated_cluster(profile, devices, 0);
  const convoy::simulate::SimulatedDevice& device = cluster.machine.devices.front();
  CONVOY_CHECK(std::isfinite(device.flops_per_second) && device.flops_per_second > 0);
  for (const TeamLayers& layers : profile.layers)
    for (const convoy::simulate::LayerSample& it : layers.samples) {
      const double seconds = device.layer_rates->seconds(it.shape, it.pass, it.work);
      CONVOY_CHECK(std::isfinite(seconds) && seconds >= 0);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static convoy::fuzz::MemoryFile file;
  file.write(convoy::fuzz::as_text(data, size));
  convoy::fuzz::expect_result_or_error([&] {
    const MachineProfile profile = read_profile(file.path());
    CONVOY_CHECK(std::isfinite(expected_error(profile)) && !trust_text(profile).empty());
    for (const std::uint32_t devices : {1u, 3u}) time_layers(profile, devices);
    const std::string text = profile_text(profile);
    file.write(text);
    CONVOY_CHECK(profile_text(read_profile(file.path())) == text);
  });
  return 0;
}
