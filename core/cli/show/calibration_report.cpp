#include "core/cli/show/calibration_report.hpp"

#include <fmt/format.h>

#include <map>
#include <ostream>

#include "core/calibrate/layer_kinds.hpp"

namespace convoy::cli {
namespace {

using calibrate::MachineProfile;
using calibrate::TeamLayers;

constexpr double kGiga = 1e9;

void print_teams(std::ostream& out, const MachineProfile& profile) {
  out << fmt::format(
      "rates of each device, all of them at once{}\n"
      "devices x threads   GFLOP/s   a + b GB/s   sum and update GB/s\n",
      profile.quick ? "; GFLOP/s are nominal" : "");
  for (const calibrate::TeamRates& team : profile.teams)
    out << fmt::format("{:>7} x {:<7}  {:>8.1f}  {:>11.1f}  {:>20.1f}\n", team.together,
                       team.threads, team.flops / kGiga, team.stream_bytes / kGiga,
                       team.update_bytes / kGiga);
  out << fmt::format("{:<17}  {:>8.1f}  {:>11}  {:>20.1f}   one updates, the others multiply\n",
                     "of those", profile.shared.flops / kGiga, "",
                     profile.shared.update_bytes / kGiga);
}

void print_paths(std::ostream& out, const MachineProfile& profile) {
  out << "copies of a device   alone GB/s   all at once GB/s\n";
  for (const calibrate::PathRate& path : profile.paths)
    out << fmt::format("{:<20} {:>10.1f}  {:>17.1f}\n", path.from + " to " + path.to,
                       path.alone_bytes / kGiga, path.together_bytes / kGiga);
}

// Prints a line per kind of layer. Convolutions are divided by their filters.
void print_layers(std::ostream& out, const TeamLayers& layers) {
  struct Sum {
    std::size_t passes = 0;
    double flops = 0;
    double bytes = 0;
    double seconds = 0;
  };
  std::map<std::string, Sum> sums;
  for (const simulate::LayerSample& sample : layers.samples) {
    std::string name = calibrate::layer_kind_name(sample.shape.kind);
    if (sample.shape.kind == CONVOY_LAYER_CONVOLUTION)
      name += fmt::format(" {}x{}{}", sample.shape.kernel_height, sample.shape.kernel_width,
                          sample.shape.stride > 1 ? fmt::format(" / {}", sample.shape.stride) : "");
    Sum& sum = sums[name];
    ++sum.passes;
    sum.flops += sample.work.flops;
    sum.bytes += sample.work.bytes;
    sum.seconds += sample.seconds;
  }
  out << fmt::format("{:<30}passes         ms    GFLOP/s      GB/s\n",
                     fmt::format("layers, {} x {}", layers.together, layers.threads));
  for (const auto& [name, sum] : sums) {
    if (!(sum.seconds > 0)) continue;
    out << fmt::format("{:<30}{:>6} {:>10.2f} {:>10.1f} {:>9.1f}\n", name, sum.passes,
                       sum.seconds * 1e3, sum.flops / sum.seconds / kGiga,
                       sum.bytes / sum.seconds / kGiga);
  }
}

void print_checks(std::ostream& out, const MachineProfile& profile) {
  out << "check: the step of a network that was not measured\ndevices  predicted ms   measured ms  "
         " error\n";
  for (const calibrate::CheckedStep& check : profile.checks)
    out << fmt::format("{:>7}  {:>12.1f}   {:>11.1f}  {:>+5.1f} %\n", check.devices,
                       check.predicted_seconds * 1e3, check.measured_seconds * 1e3,
                       100 * (check.predicted_seconds / check.measured_seconds - 1));
  const double error = 100 * calibrate::known_error(profile);
  out << (profile.quick
              ? fmt::format("mean error {:.1f} %, of a network as small as those measured; "
                            "predictions of larger ones may be several times too slow: calibrate "
                            "without --quick for them\n",
                            error)
              : fmt::format("mean error {:.1f} %: how far to trust predictions on this machine\n",
                            error));
}

void print_disturbance(std::ostream& out, const MachineProfile& profile) {
  if (!profile.disturbance) {
    out << "unknown: whether other processes used the cores meanwhile (no /proc/stat)\n";
    return;
  }
  out << fmt::format("other processes used {:.1f} % of the cores' time meanwhile{}\n",
                     100 * *profile.disturbance,
                     calibrate::much_disturbed(profile)
                         ? ": too much; close what else runs and calibrate again with --force"
                         : "");
}

}  // namespace

void print_calibration(std::ostream& out, const MachineProfile& profile) {
  const calibrate::Fingerprint& machine = profile.machine;
  out << fmt::format("{}, {} cores, {:.1f} GB of memory, {}, device plug-in {}\n\n",
                     machine.processor, machine.cores,
                     static_cast<double>(machine.memory_bytes) / kGiga, machine.instructions,
                     machine.device);
  print_teams(out, profile);
  out << '\n';
  print_paths(out, profile);
  out << fmt::format("\none operation of a plan costs {:.2f} us besides its bytes\n",
                     profile.operation_seconds * 1e6)
      << fmt::format("a device's layers take {:.3f} times as long while its neighbours compute\n",
                     profile.neighbour_factor)
      << fmt::format("and {:.3f} times as long when two devices share a core\n",
                     2 * profile.crowding_factor);
  for (const TeamLayers& layers : profile.layers) {
    out << '\n';
    print_layers(out, layers);
  }
  out << '\n';
  print_checks(out, profile);
  print_disturbance(out, profile);
  for (const std::string& name : profile.left_out)
    out << fmt::format("left out for lack of time or memory: {}\n", name);
  out << "not measured: collectives (CPU devices share memory: sums are theirs), GPUs, NUMA nodes "
         "one by one\n";
}

}  // namespace convoy::cli
