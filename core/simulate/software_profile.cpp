#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "core/simulate/described_constants.hpp"
#include "topology/described_file.hpp"

namespace convoy::simulate {
namespace {

using topology::DescribedObject;

FetchOrder read_fetch_order(DescribedObject& object) {
  const std::string text = object.text("fetch_order");
  if (text == "planned") return FetchOrder::kPlanned;
  if (text == "forward") return FetchOrder::kForward;
  if (text == "reverse") return FetchOrder::kReverse;
  if (text == "random") return FetchOrder::kRandom;
  object.reject("fetch_order", fmt::format("is \"{}\": planned, forward, reverse and random are "
                                           "possible",
                                           text));
}

std::filesystem::path find_profile(const std::filesystem::path& folder, const std::string& name) {
  std::filesystem::path file = folder / (name + ".json");
  if (name.find('/') == std::string::npos && std::filesystem::is_regular_file(file)) return file;
  if (std::filesystem::is_regular_file(name)) return name;
  fail(ExitCode::kUsage, "no software profile \"{}\": neither a file nor one of {} in {}", name,
       fmt::join(topology::platform_names(folder), ", "), folder.string());
}

double share(DescribedObject& object, const char* key) {
  const double value = *object.constant(key).value;
  if (value > 1) object.reject(key, fmt::format("is {}: a share of a whole, at most 1", value));
  return value;
}

}  // namespace

SoftwareProfile read_software_profile(const std::filesystem::path& folder,
                                      const std::string& name) {
  const topology::DescribedFile file(find_profile(folder, name));
  DescribedObject object(file);
  const auto constant = [&](const char* key) { return *object.constant(key).value; };
  SoftwareProfile profile;
  profile.name = object.text("name");
  profile.source = object.text("source");
  profile.fetch_order = read_fetch_order(object);
  if (profile.fetch_order == FetchOrder::kRandom)
    profile.fetch_disorder = constant("fetch_disorder");
  profile.step_barrier = object.flag_or("step_barrier", profile.step_barrier);
  profile.bucket_per_variable = object.flag_or("bucket_per_variable", profile.bucket_per_variable);
  profile.rings_follow_links = object.flag_or("rings_follow_links", profile.rings_follow_links);
  profile.copy_seconds = constant("copy_seconds");
  profile.host_operation_seconds = constant("host_operation_seconds");
  profile.add_bytes_per_second = constant("add_bytes_per_second");
  profile.extra_sum_traffic = constant("extra_sum_traffic");
  profile.input_pass_bytes_per_second = constant("input_pass_bytes_per_second");
  profile.decoding_collective_seconds = constant("decoding_collective_seconds");
  profile.straggler_sigma = share(object, "straggler_sigma");
  profile.rpc_bytes_per_second = constant("rpc_bytes_per_second");
  profile.rpc_seconds = constant("rpc_seconds");
  profile.network_progress = share(object, "network_progress");
  if (profile.network_progress < 1 && profile.rpc_bytes_per_second == 0)
    object.reject("network_progress", "is a part of rpc_bytes_per_second, which is 0 here");
  profile.incast_loss = share(object, "incast_loss");
  object.finish();
  return profile;
}

}  // namespace convoy::simulate
