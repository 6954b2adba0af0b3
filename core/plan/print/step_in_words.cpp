#include "core/plan/print/step_in_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <compare>
#include <map>
#include <set>

#include "core/base/text/counted.hpp"

namespace convoy::plan {
namespace {

std::string memory_name(const PlanBuffer& buffer) {
  if (!buffer.name->empty()) return *buffer.name;
  switch (buffer.kind) {
    case CONVOY_BUFFER_PARAMETERS:
      return "parameters";
    case CONVOY_BUFFER_GRADIENT:
      return "gradients";
    case CONVOY_BUFFER_MASTER:
      return "master variables";
    case CONVOY_BUFFER_PERSISTENT:
      return "persistent memory";
    default:
      return "scratch memory";
  }
}

// Returns "cpu:0", "4 devices" or "2 hosts".
std::string places_name(const Cluster& cluster, const std::set<std::uint32_t>& places) {
  if (places.size() == 1) return cluster.places[*places.begin()].name;
  std::size_t devices = 0;
  for (const std::uint32_t place : places)
    devices += cluster.places[place].kind == CONVOY_PLACE_DEVICE;
  std::vector<std::string> parts;
  if (devices > 0) parts.push_back(counted(devices, "device"));
  const std::size_t hosts = places.size() - devices;
  if (hosts > 0) parts.push_back(counted(hosts, "host"));
  return fmt::format("{}", fmt::join(parts, " and "));
}

// A group of operations that do the same to the same kind of memory.
struct Deed {
  OperationKind kind = OperationKind::kCopy;
  std::uint32_t phase = 0;
  std::string read;
  std::string written;
  std::string kernel;
  bool late = false;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the generated 0 for a pointer.
  auto operator<=>(const Deed&) const = default;
};

struct Extent {
  std::uint64_t times = 0;
  double bytes = 0;  // sum of each operation's largest span
  std::set<std::uint32_t> readers;
  std::set<std::uint32_t> writers;
};

// Returns the bytes of the largest span. For operations on pieces, this is the whole.
std::uint64_t largest_span(const Operation& operation) {
  std::uint64_t bytes = 0;
  for (const SpanList* spans : {&operation.reads, &operation.writes})
    for (const PlanSpan& span : *spans)
      bytes = std::max(bytes, span.count * dtype_bytes(span.dtype));
  return bytes;
}

std::string names_of(const Plan& plan, const SpanList& spans, std::set<std::uint32_t>& places) {
  std::set<std::string> names;
  for (const PlanSpan& span : spans) {
    names.insert(memory_name(plan.buffers[span.buffer]));
    places.insert(plan.place_of(span));
  }
  return fmt::format("{}", fmt::join(names, " and "));
}

std::string sentence(const Plan& plan, const Deed& deed, const Extent& it) {
  const Cluster& cluster = *plan.cluster;
  std::string text(operation_name(deed.kind));
  if (!deed.kernel.empty()) text += fmt::format(" '{}'", deed.kernel);
  if (deed.late) text += " (relaxed)";
  if (deed.kind == OperationKind::kForward || deed.kind == OperationKind::kBackward)
    return fmt::format("{} on {}", text, places_name(cluster, it.readers));
  if (!deed.read.empty())
    text += fmt::format(" of {} of {}", deed.read, places_name(cluster, it.readers));
  if (!deed.written.empty() && (deed.read != deed.written || it.readers != it.writers))
    text += fmt::format(" to {} of {}", deed.written, places_name(cluster, it.writers));
  return fmt::format("{}: {}, {:.4g} MB in all", text,
                     it.times == 1 ? "once" : fmt::format("{} times", it.times), it.bytes / 1e6);
}

}  // namespace

std::vector<std::string> step_in_words(const Plan& plan) {
  std::vector<Deed> order;
  std::map<Deed, Extent> deeds;
  for (const Operation& operation : plan.body) {
    Extent found;
    Deed deed{operation.kind,
              operation.phase,
              names_of(plan, operation.reads, found.readers),
              names_of(plan, operation.writes, found.writers),
              operation.details->kernel,
              (operation.flags & CONVOY_OP_RELAXED_READS) != 0};
    const auto [known, is_new] = deeds.try_emplace(deed);
    if (is_new) order.push_back(deed);
    Extent& it = known->second;
    ++it.times;
    it.bytes += static_cast<double>(largest_span(operation));
    it.readers.merge(found.readers);
    it.writers.merge(found.writers);
  }
  std::vector<std::string> words;
  words.reserve(order.size());
  for (const Deed& deed : order)
    words.push_back((plan.computes == 1 ? "" : fmt::format("step {}: ", deed.phase + 1)) +
                    sentence(plan, deed, deeds.at(deed)));
  return words;
}

}  // namespace convoy::plan
