#include <convoy/strategy.hpp>

#include <algorithm>
#include <cstdint>

namespace {

// ByteScheduler (Peng et al., 2019): gradients travel in pieces of equal size, and pieces of layers
// that the next forward needs first overtake those of later layers.
class ByteScheduler : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    const std::int64_t kilobytes = p.integer("partition_kb");
    if (kilobytes < 16) p.refuse("partition_kb is at least 16");
    const std::uint64_t most = static_cast<std::uint64_t>(kilobytes) * 1024 / sizeof(float);
    convoy::CollectiveOptions how;
    if (p.option("algorithm") == "ring") how.algorithm = convoy::Algorithm::kRing;
    p.compute();
    for (const convoy::Range bucket : p.buckets())
      for (const convoy::Range piece : convoy::split(bucket, (bucket.count + most - 1) / most))
        p.with_priority(priority_of(p, piece), [&] {
          p.all_reduce(p.all_gradients(piece), how);
          for (const auto r : p.replicas()) p.apply(p.parameters(r)[piece], p.gradient(r)[piece]);
        });
  }

 private:
  // The first quarter of the layers has the highest priority. Gradients become ready, and are
  // stored in the arena, from the last layer to the first.
  static std::uint64_t priority_of(const convoy::Planner& p, convoy::Range piece) {
    std::uint64_t layers = 1;
    std::uint64_t first = 0;
    for (std::uint32_t i = 0; i < p.variable_count(); ++i) {
      const convoy::VariableInfo variable = p.variable(i);
      layers = std::max(layers, variable.layer + 1);
      if (variable.range.first < piece.first + piece.count) first = variable.layer;
    }
    return CONVOY_PRIORITIES - 1 - CONVOY_PRIORITIES * first / layers;
  }
};

}  // namespace

CONVOY_STRATEGY(
    ByteScheduler, "name=bytescheduler", "version=0.1.0",
    "description=All-reduces gradients in small pieces, the front layers' first.",
    "claim=synchronous",
    "option=partition_kb:int:4096::Size of a piece of the gradients in KiB, at least 16.",
    "option=algorithm:enum:device:device|ring:How pieces are reduced. Between hosts, urgent pieces "
    "can overtake others only with ring.",
    "needs=forward,backward,all_reduce,apply")
