#include "core/network/agreement.hpp"

#include <algorithm>

namespace convoy::network {
namespace {

std::string sizes_text(const Join& join) {
  return fmt::format("{} workers, {} servers and {} controller", join.workers, join.servers,
                     join.controller ? "a" : "no");
}

std::string short_hash(const std::string& hash) {
  return hash.size() > 16 ? hash.substr(0, 16) : hash;
}

Refusal refusal(ExitCode code, const Join& a, std::string_view what, const std::string& of_a,
                const Join& b, const std::string& of_b, std::string_view action) {
  return {code, fmt::format("{} has {}{}, {} has {}; {}", to_string(a.name), what, of_a,
                            to_string(b.name), of_b, action)};
}

std::string value_or_none(const std::vector<NamedValue>& values, const std::string& name) {
  const auto found = std::ranges::find(values, name, &NamedValue::name);
  return found == values.end() ? "none" : found->value;
}

// The first name whose values differ, a missing one included.
const std::string* first_difference(const std::vector<NamedValue>& a,
                                    const std::vector<NamedValue>& b) {
  const auto unlike = [](const std::vector<NamedValue>& in) {
    return [&in](const NamedValue& value) { return std::ranges::find(in, value) == in.end(); };
  };
  const auto in_a = std::ranges::find_if(a, unlike(b));
  if (in_a != a.end()) return &in_a->name;
  const auto in_b = std::ranges::find_if(b, unlike(a));
  return in_b == b.end() ? nullptr : &in_b->name;
}

std::optional<Refusal> program_disagreement(const Join& a, const Join& b) {
  constexpr std::string_view kInstall = "install the same convoy on every host";
  if (a.version != b.version)
    return refusal(ExitCode::kUnavailable, a, "convoy ", a.version, b, b.version, kInstall);
  if (a.program_hash != b.program_hash)
    return refusal(ExitCode::kUnavailable, a, "a convoy program with hash ",
                   short_hash(a.program_hash), b, short_hash(b.program_hash), kInstall);
  if (a.workers != b.workers || a.servers != b.servers || a.controller != b.controller)
    return refusal(ExitCode::kUsage, a, "a run of ", sizes_text(a), b, sizes_text(b),
                   "give every task the same lists of hosts, or start as many processes as the "
                   "launcher says");
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> disagreement(const Join& newcomer, const Join& other) {
  if (auto found = program_disagreement(newcomer, other)) return found;
  const auto computes = [](const Join& join) { return join.name.role == Role::kWorker; };
  if (!computes(newcomer) || !computes(other)) return std::nullopt;
  if (newcomer.model != other.model)
    return refusal(ExitCode::kUsage, newcomer, "--model=", newcomer.model, other, other.model,
                   "give every worker the same value");
  if (const std::string* name = first_difference(newcomer.flags, other.flags))
    return refusal(ExitCode::kUsage, newcomer, *name + "=", value_or_none(newcomer.flags, *name),
                   other, value_or_none(other.flags, *name), "give every worker the same value");
  // This comes after the flags, which say whose plug-ins these are.
  if (const std::string* name = first_difference(newcomer.plugins, other.plugins))
    return refusal(ExitCode::kUnavailable, newcomer, fmt::format("plug-in {} with hash ", *name),
                   short_hash(value_or_none(newcomer.plugins, *name)), other,
                   short_hash(value_or_none(other.plugins, *name)),
                   "install the same file on every host");
  return std::nullopt;
}

}  // namespace convoy::network
