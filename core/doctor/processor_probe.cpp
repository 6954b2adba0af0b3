#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/system/control_group.hpp"
#include "core/base/text/system_text.hpp"
#include "core/doctor/probes.hpp"

namespace convoy::doctor {
namespace {

void instructions(const SystemRoot& root, Findings& findings) {
  constexpr const char* kSubject = "vector instructions";
  const std::string info = root.text("proc/cpuinfo").value_or("");
  const auto flags = value_of(info, "flags", ':');
  if (!flags)
    return findings.push_back(
        {kSubject, Health::kUnknown, "/proc/cpuinfo does not list this processor's features", ""});
  const std::vector<std::string> words = words_of(*flags);
  const auto has = [&](const char* name) {
    return std::find(words.begin(), words.end(), name) != words.end();
  };
  const std::string name = value_of(info, "model name", ':').value_or("processor");
  if (!has("avx2") || !has("fma"))
    return findings.push_back({kSubject, Health::kWarn, name + " without AVX2 and FMA",
                               "training on this processor will be several times slower than on "
                               "one with AVX2; in a virtual machine, pass the host's processor "
                               "features through"});
  std::string text = name + ": AVX2, FMA";
  if (has("avx512f") && has("avx512bw")) text += ", AVX-512";
  if (has("avx512_bf16") || has("amx_bf16")) text += ", BF16";
  if (has("amx_tile") && has("amx_bf16")) text += ", AMX";
  findings.push_back({kSubject, Health::kOk, text, ""});
}

void processors(const SystemRoot& root, Findings& findings) {
  constexpr const char* kSubject = "processors";
  const auto present = list_size(root.text("sys/devices/system/cpu/online").value_or(""));
  const auto status =
      value_of(root.text("proc/self/status").value_or(""), "Cpus_allowed_list", ':');
  const auto allowed = list_size(status.value_or(""));
  if (!present && !allowed)
    return findings.push_back({kSubject, Health::kUnknown, "neither /sys nor /proc says", ""});
  const std::uint64_t online = present ? *present : *allowed;
  const std::uint64_t usable = allowed ? std::min(online, *allowed) : online;
  std::string text = fmt::format("{} online", online);
  if (usable < online) text += fmt::format(", {} allowed to this process", usable);
  const ControlGroupLimits limits = control_group_limits(root);
  if (!limits.processors || *limits.processors >= static_cast<double>(usable))
    return findings.push_back({kSubject, Health::kOk, text, ""});
  findings.push_back(
      {kSubject, Health::kWarn,
       fmt::format("{}, but the control group allows the time of {:.2f}", text, *limits.processors),
       fmt::format("threads on more processors are stopped in the middle of a step: give the "
                   "container whole processors (--cpuset-cpus), or use --num_intra_threads={}",
                   std::max(1.0, std::floor(*limits.processors)))});
}

void governor(const SystemRoot& root, Findings& findings) {
  constexpr const char* kSubject = "frequency governor";
  std::map<std::string, int> governors;
  for (const std::string& name : root.names("sys/devices/system/cpu"))
    if (const auto it = root.text("sys/devices/system/cpu/" + name + "/cpufreq/scaling_governor"))
      ++governors[*it];
  if (governors.empty())
    return findings.push_back(
        {kSubject, Health::kUnknown, "cannot be seen (usual in virtual machines)", ""});
  std::string text;
  bool slow = false;
  for (const auto& [name, count] : governors) {
    text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", name, count);
    slow = slow || (name != "performance" && name != "schedutil");
  }
  findings.push_back(
      {kSubject, slow ? Health::kWarn : Health::kOk, text,
       slow ? "for steady measurements: cpupower frequency-set -g performance" : ""});
}

}  // namespace

void probe_processors(const SystemRoot& root, Findings& findings) {
  instructions(root, findings);
  processors(root, findings);
  governor(root, findings);
}

}  // namespace convoy::doctor
