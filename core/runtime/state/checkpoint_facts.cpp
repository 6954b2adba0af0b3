#include "core/runtime/state/checkpoint_facts.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/base/error.hpp"
#include "core/base/text/number.hpp"

namespace convoy::runtime {
namespace {

constexpr const char* kFormat = "convoy checkpoint";
constexpr const char* kFormatVersion = "1";
constexpr const char* kUpdates = "optimizer_updates";
constexpr const char* kComplete = "complete";
constexpr const char* kLossScaleAdapts = "loss_scale_adapts";

// Metadata by name, with errors that name file and entry.
class Entries {
 public:
  explicit Entries(const checkpoint::SafetensorsFile& file) : file_(file) {}

  std::string text(const char* name) const {
    const auto found = file_.metadata().find(name);
    if (found == file_.metadata().end())
      fail(ExitCode::kFailed, "{}: metadata '{}' is missing", file_.path().string(), name);
    return found->second;
  }

  // Returns whether the entry is "yes". A missing entry counts as "yes", because earlier versions
  // do not write it.
  bool holds_unless_said(const char* name) const {
    return !file_.metadata().contains(name) || text(name) == "yes";
  }

  template <typename Number>
  Number count(const char* name, int base = 10) const {
    const std::string value = text(name);
    const std::optional<Number> number = parse_number<Number>(value, base);
    if (!number || value.starts_with('-')) refuse(name, value);
    return *number;
  }

  double positive(const char* name) const {
    const std::string value = text(name);
    const std::optional<double> number = parse_number<double>(value);
    if (!number || !std::isfinite(*number) || *number <= 0) refuse(name, value);
    return *number;
  }

 private:
  [[noreturn]] void refuse(const char* name, const std::string& value) const {
    fail(ExitCode::kFailed, "{}: metadata '{}' is '{}', which is no such number",
         file_.path().string(), name, checkpoint::printable(value));
  }

  const checkpoint::SafetensorsFile& file_;
};

void require_format(const checkpoint::SafetensorsFile& file) {
  const auto format = file.metadata().find("format");
  if (format == file.metadata().end() || format->second != kFormat)
    fail(ExitCode::kFailed,
         "{} is no checkpoint of convoy: its metadata does not say so; for weights that another "
         "program wrote use --init_weights",
         file.path().string());
  const std::string version = Entries(file).text("format_version");
  if (version != kFormatVersion)
    fail(ExitCode::kFailed, "{} is a checkpoint of format {}; this convoy reads format {}",
         file.path().string(), checkpoint::printable(version), kFormatVersion);
}

}  // namespace

std::map<std::string, std::string> to_metadata(const CheckpointFacts& facts) {
  return {{"format", kFormat},
          {"format_version", kFormatVersion},
          {"step", fmt::format("{}", facts.step)},
          {"samples", fmt::format("{}", facts.samples)},
          {"seed", fmt::format("{}", facts.seed)},
          {"model", facts.model},
          {"strategy", facts.strategy},
          {"optimizer", facts.optimizer},
          {kUpdates, fmt::format("{}", facts.updates)},
          {"plan_hash", fmt::format("{:016x}", facts.identity.plan_hash)},
          {"storage_hash", fmt::format("{:016x}", facts.identity.storage_hash)},
          {"devices", fmt::format("{}", facts.identity.replicas)},
          {"batch_per_device", fmt::format("{}", facts.identity.batch)},
          {"phase", fmt::format("{}", facts.phase)},
          {kComplete, facts.complete ? "yes" : "no"},
          {"loss_scale", fmt::format("{}", facts.loss_scale.scale)},
          {"loss_scale_clean_steps",
           fmt::format("{}", static_cast<std::uint64_t>(facts.loss_scale.clean_steps))},
          {kLossScaleAdapts, facts.loss_scale_adapts ? "yes" : "no"},
          {"flags", facts.flags},
          {"convoy_version", facts.convoy_version}};
}

CheckpointFacts read_facts(const checkpoint::SafetensorsFile& file) {
  require_format(file);
  const Entries entries(file);
  CheckpointFacts facts;
  facts.step = entries.count<std::int64_t>("step");
  facts.samples = entries.count<std::int64_t>("samples");
  facts.seed = entries.count<std::uint64_t>("seed");
  facts.model = entries.text("model");
  facts.strategy = entries.text("strategy");
  facts.optimizer = entries.text("optimizer");
  facts.updates =
      entries.count<std::uint64_t>(file.metadata().contains(kUpdates) ? kUpdates : "step");
  facts.identity = {entries.count<std::uint64_t>("plan_hash", 16),
                    entries.count<std::uint64_t>("storage_hash", 16),
                    entries.count<std::uint32_t>("devices"),
                    entries.count<std::uint32_t>("batch_per_device")};
  facts.phase = entries.count<std::uint32_t>("phase");
  facts.complete = entries.holds_unless_said(kComplete);
  facts.loss_scale = {entries.positive("loss_scale"),
                      static_cast<double>(entries.count<std::uint32_t>("loss_scale_clean_steps"))};
  facts.loss_scale_adapts = entries.holds_unless_said(kLossScaleAdapts);
  facts.flags = entries.text("flags");
  facts.convoy_version = entries.text("convoy_version");
  return facts;
}

}  // namespace convoy::runtime
