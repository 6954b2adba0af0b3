#include "core/calibrate/profile_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/files/cache_folder.hpp"
#include "core/base/numbers/fnv.hpp"
#include "core/base/text/json.hpp"
#include "core/calibrate/layer_kinds.hpp"
#include "topology/read/described_file.hpp"

namespace convoy::calibrate {
namespace {

using Json = nlohmann::ordered_json;
using simulate::LayerSample;
using simulate::LayerShape;
using topology::DescribedFile;
using topology::DescribedObject;

constexpr std::uint32_t kFormat = 2;
constexpr const char* kAdvice =
    "; convoy calibrate --force measures this machine and writes the file again";

// The integer fields of a shape, with their names in files.
struct ShapeField {
  const char* name;
  std::uint32_t LayerShape::*member;
};
constexpr ShapeField kShapeFields[] = {{"batch", &LayerShape::batch},
                                       {"inputs", &LayerShape::inputs},
                                       {"kernel_height", &LayerShape::kernel_height},
                                       {"kernel_width", &LayerShape::kernel_width},
                                       {"stride", &LayerShape::stride},
                                       {"groups", &LayerShape::groups},
                                       {"input_channels", &LayerShape::input_channels},
                                       {"input_pixels", &LayerShape::input_pixels},
                                       {"output_channels", &LayerShape::output_channels},
                                       {"output_pixels", &LayerShape::output_pixels}};

Json sample_json(const LayerSample& sample) {
  Json json = {{"layer", layer_kind_name(sample.shape.kind)},
               {"behind", layer_kind_name(sample.shape.producer)},
               {"before", layer_kind_name(sample.shape.consumer)},
               {"ends_sum", sample.shape.ends_sum},
               {"pass", pass_name(sample.pass)}};
  for (const ShapeField& field : kShapeFields) json[field.name] = sample.shape.*field.member;
  json["flops"] = sample.work.flops;
  json["bytes"] = sample.work.bytes;
  json["seconds"] = sample.seconds;
  return json;
}

Json team_json(const TeamRates& team) {
  return {{"threads", team.threads},
          {"together", team.together},
          {"flops", team.flops},
          {"stream_bytes", team.stream_bytes},
          {"update_bytes", team.update_bytes}};
}

Json layers_json(const TeamLayers& layers) {
  Json samples = Json::array();
  for (const LayerSample& sample : layers.samples) samples.push_back(sample_json(sample));
  return {{"threads", layers.threads}, {"together", layers.together}, {"samples", samples}};
}

// Reads a profile with the checks of DescribedObject. It also checks that rates are not zero,
// because other values are divided by them.
class ProfileReader {
 public:
  explicit ProfileReader(const DescribedFile& file) : file_(file) {}

  MachineProfile read() const {
    DescribedObject object(file_);
    check_format(object);
    MachineProfile profile;
    profile.created = object.text("created");
    profile.machine = fingerprint(object.object("machine"));
    profile.operation_seconds = object.number("operation_seconds");
    profile.neighbour_factor = positive(object, "neighbour_factor");
    profile.crowding_factor = positive(object, "crowding_factor");
    for (DescribedObject& entry : object.objects("teams")) profile.teams.push_back(team(entry));
    require(object, "teams", !profile.teams.empty());
    DescribedObject shared = object.object("shared");
    profile.shared.update_bytes = positive(shared, "update_bytes");
    profile.shared.flops = positive(shared, "flops");
    shared.finish();
    for (DescribedObject& entry : object.objects("paths")) profile.paths.push_back(path(entry));
    for (DescribedObject& entry : object.objects("layers")) profile.layers.push_back(layers(entry));
    require(object, "layers", !profile.layers.empty());
    for (DescribedObject& entry : object.objects("checks")) profile.checks.push_back(check(entry));
    require(object, "checks", !profile.checks.empty());
    profile.quick = object.flag_or("quick", false);
    profile.left_out = object.texts("left_out");
    if (object.has("disturbance")) profile.disturbance = part(object, "disturbance");
    object.finish();
    return profile;
  }

 private:
  static void check_format(DescribedObject& object) {
    const std::uint32_t format = object.count("format");
    if (format == kFormat) return;
    object.reject("format",
                  fmt::format("is {}, and this program reads {}{}", format, kFormat, kAdvice));
  }

  static void require(const DescribedObject& object, const char* key, bool holds) {
    if (!holds) object.reject(key, fmt::format("is empty{}", kAdvice));
  }

  static double positive(DescribedObject& object, const char* key) {
    const double value = object.number(key);
    if (!(value > 0))
      object.reject(key, fmt::format("is {}: it must be positive{}", value, kAdvice));
    return value;
  }

  static double part(DescribedObject& object, const char* key) {
    const double value = object.number(key);
    if (value > 1) object.reject(key, fmt::format("is {}: a part of a whole, at most 1", value));
    return value;
  }

  static Fingerprint fingerprint(DescribedObject object) {
    Fingerprint machine;
    machine.processor = object.text("processor");
    machine.cores = object.count("cores", 1);
    machine.memory_bytes = static_cast<std::uint64_t>(object.number("memory_bytes"));
    machine.instructions = object.text("instructions");
    machine.device = object.text("device");
    object.finish();
    return machine;
  }

  static TeamRates team(DescribedObject& object) {
    TeamRates rates;
    rates.threads = object.count("threads", 1);
    rates.together = object.count("together", 1);
    rates.flops = positive(object, "flops");
    rates.stream_bytes = positive(object, "stream_bytes");
    rates.update_bytes = positive(object, "update_bytes");
    object.finish();
    return rates;
  }

  static PathRate path(DescribedObject& object) {
    PathRate rate;
    rate.from = object.text("from");
    rate.to = object.text("to");
    rate.alone_bytes = positive(object, "alone_bytes");
    rate.together_bytes = positive(object, "together_bytes");
    object.finish();
    return rate;
  }

  static CheckedStep check(DescribedObject& object) {
    CheckedStep check;
    check.devices = object.count("devices", 1);
    check.predicted_seconds = positive(object, "predicted_seconds");
    check.measured_seconds = positive(object, "measured_seconds");
    object.finish();
    return check;
  }

  static TeamLayers layers(DescribedObject& object) {
    TeamLayers result;
    result.threads = object.count("threads", 1);
    result.together = object.count("together", 1);
    for (DescribedObject& entry : object.objects("samples"))
      result.samples.push_back(sample(entry));
    require(object, "samples", !result.samples.empty());
    object.finish();
    return result;
  }

  static std::uint32_t kind(DescribedObject& object, const char* key) {
    const std::string name = object.text(key);
    const auto found = layer_kind_of(name);
    if (!found) object.reject(key, fmt::format("is \"{}\", which is no kind of layer", name));
    return *found;
  }

  static LayerSample sample(DescribedObject& object) {
    LayerSample sample;
    sample.shape.kind = kind(object, "layer");
    sample.shape.producer = kind(object, "behind");
    sample.shape.consumer = kind(object, "before");
    sample.shape.ends_sum = object.flag_or("ends_sum", false);
    const std::string pass = object.text("pass");
    const auto found = pass_of(pass);
    if (!found) object.reject("pass", fmt::format("is \"{}\", which is no pass", pass));
    sample.pass = static_cast<convoy_pass>(*found);
    for (const ShapeField& field : kShapeFields)
      sample.shape.*field.member = object.count(field.name);
    sample.work.flops = object.number("flops");
    sample.work.bytes = object.number("bytes");
    sample.seconds = object.number("seconds");
    object.finish();
    return sample;
  }

  const DescribedFile& file_;
};

// Returns a hash of the facts that never change on a machine, and of the format of the file.
std::uint32_t short_hash(const Fingerprint& machine) {
  Fnv1a32 hash;
  hash.add_bytes(fmt::format("{}|{}|{}|{}|{}", machine.processor, machine.cores,
                             machine.instructions, machine.device, kFormat));
  return hash.value();
}

}  // namespace

std::string profile_text(const MachineProfile& profile) {
  const Fingerprint& machine = profile.machine;
  Json json = {
      {"format", kFormat},
      {"created", profile.created},
      {"machine",
       {{"processor", machine.processor},
        {"cores", machine.cores},
        {"memory_bytes", machine.memory_bytes},
        {"instructions", machine.instructions},
        {"device", machine.device}}},
      {"operation_seconds", profile.operation_seconds},
      {"neighbour_factor", profile.neighbour_factor},
      {"crowding_factor", profile.crowding_factor},
      {"teams", Json::array()},
      {"shared", {{"update_bytes", profile.shared.update_bytes}, {"flops", profile.shared.flops}}},
      {"paths", Json::array()},
      {"layers", Json::array()},
      {"checks", Json::array()}};
  for (const TeamRates& team : profile.teams) json["teams"].push_back(team_json(team));
  for (const PathRate& path : profile.paths)
    json["paths"].push_back({{"from", path.from},
                             {"to", path.to},
                             {"alone_bytes", path.alone_bytes},
                             {"together_bytes", path.together_bytes}});
  for (const TeamLayers& layers : profile.layers) json["layers"].push_back(layers_json(layers));
  for (const CheckedStep& check : profile.checks)
    json["checks"].push_back({{"devices", check.devices},
                              {"predicted_seconds", check.predicted_seconds},
                              {"measured_seconds", check.measured_seconds}});
  if (profile.quick) json["quick"] = true;
  if (!profile.left_out.empty()) json["left_out"] = profile.left_out;
  if (profile.disturbance) json["disturbance"] = *profile.disturbance;
  return json_text(json, 1) + "\n";
}

MachineProfile read_profile(const std::filesystem::path& file) {
  const DescribedFile described(file);
  return ProfileReader(described).read();
}

std::optional<MachineProfile> find_profile(const std::filesystem::path& file,
                                           const Fingerprint& here) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::nullopt;
  MachineProfile profile = read_profile(file);
  const std::string differs = difference(profile.machine, here);
  if (!differs.empty())
    fail(ExitCode::kUsage,
         "{} was measured on another machine: {}{}, or take another file with "
         "--calibration_file",
         file.string(), differs, kAdvice);
  profile.machine.memory_bytes = here.memory_bytes;
  return profile;
}

std::filesystem::path default_profile_path(const Fingerprint& here) {
  const std::filesystem::path folder = cache_folder();
  if (folder.empty()) return {};
  return folder / fmt::format("calibration-{:08x}.json", short_hash(here));
}

}  // namespace convoy::calibrate
