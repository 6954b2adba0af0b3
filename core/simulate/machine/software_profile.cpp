#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "core/simulate/machine/described_constants.hpp"
#include "core/simulate/machine/read_collective_library.hpp"
#include "topology/read/described_file.hpp"

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
  std::error_code ignored;  // for example, the name is too long for a file
  if (name.find('/') == std::string::npos && std::filesystem::is_regular_file(file, ignored))
    return file;
  if (topology::means_described_file(name)) return name;
  fail(ExitCode::kUsage, "no software profile \"{}\": neither a file nor one of {} in {}", name,
       fmt::join(topology::platform_names(folder), ", "), folder.string());
}

// "nccl-2", which the catalogue beside the profiles describes, or "single_ring".
std::shared_ptr<const CollectiveLibrary> read_collectives(const std::filesystem::path& folder,
                                                          DescribedObject& object) {
  const std::string name = object.text("collectives");
  if (name == "single_ring") return nullptr;
  auto library = read_collective_library(folder.parent_path() / "catalogue" / "collectives.json");
  if (library->name != name)
    object.reject("collectives",
                  fmt::format("is \"{}\": {} and single_ring are possible", name, library->name));
  return library;
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
  profile.collectives = read_collectives(folder, object);
  profile.rings_follow_links = object.flag_or("rings_follow_links", profile.rings_follow_links);
  profile.copy_seconds = constant("copy_seconds");
  profile.host_operation_seconds = constant("host_operation_seconds");
  profile.add_bytes_per_second = constant("add_bytes_per_second");
  profile.extra_sum_traffic = constant("extra_sum_traffic");
  profile.input_pass_bytes_per_second = constant("input_pass_bytes_per_second");
  profile.decoding_collective_seconds = constant("decoding_collective_seconds");
  profile.straggler_sigma = object.share("straggler_sigma");
  profile.rpc_bytes_per_second = constant("rpc_bytes_per_second");
  profile.rpc_seconds = constant("rpc_seconds");
  profile.network_progress = object.share("network_progress");
  if (profile.network_progress < 1 && profile.rpc_bytes_per_second == 0)
    object.reject("network_progress", "is a part of rpc_bytes_per_second, which is 0 here");
  profile.incast_loss = object.share("incast_loss");
  object.finish();
  return profile;
}

}  // namespace convoy::simulate
