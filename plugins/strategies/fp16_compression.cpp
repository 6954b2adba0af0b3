#include <convoy/strategy.hpp>

#include <vector>

namespace {

// Gradients are sent in 16 bits and summed in 32 bits: every replica sums a part of all gradients,
// divides it by their number and sends the mean to all replicas.
class HalfGradients : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    const bool bf16 = p.option("dtype") == "bf16";
    p.compute();
    for (const convoy::Range bucket : p.buckets())
      exchange(p, bucket, bf16 ? convoy::Dtype::kBf16 : convoy::Dtype::kF16);
  }

 private:
  static void exchange(convoy::Planner& p, convoy::Range bucket, convoy::Dtype half) {
    std::vector<convoy::Span> sent, means;
    for (const auto r : p.replicas()) {
      sent.push_back(p.scratch(p.replica_place(r), bucket.count, half));
      p.cast(sent.back(), p.gradient(r)[bucket]);
    }
    for (const convoy::Range piece : convoy::split({0, bucket.count}, p.replica_count())) {
      const std::size_t owner = means.size();
      const convoy::PlaceId here = p.replica_place(p.replicas()[owner]);
      std::vector<convoy::Span> wide;
      for (std::size_t r = 0; r < sent.size(); ++r) {
        convoy::Span part = convoy::part(sent[r], piece.first, piece.count);
        if (r != owner) {
          const convoy::Buffer received = p.scratch(here, piece.count, half);
          p.copy(received, part);
          part = received;
        }
        wide.push_back(p.scratch(here, piece.count));
        p.cast(wide.back(), part);
      }
      p.sum(wide.front(), wide);
      p.scale(wide.front(), wide.front(), 1.0 / p.replica_count());
      means.push_back(convoy::part(sent[owner], piece.first, piece.count));
      p.cast(means.back(), wide.front());
    }
    p.all_gather(sent, means);
    for (const auto r : p.replicas()) {
      p.cast(p.gradient(r)[bucket], sent[r.index()]);
      p.apply(p.parameters(r)[bucket], p.gradient(r)[bucket], {.contributions = 1});
    }
  }
};

}  // namespace

CONVOY_STRATEGY(HalfGradients, "name=fp16_compression", "version=0.1.0",
                "description=Devices exchange gradients in 16 bits and add them up in 32.",
                "claim=approximate",
                "option=dtype:enum:fp16:fp16|bf16:The type in which gradients are sent.",
                "needs=forward,backward,cast,copy,sum,scale,all_gather,apply")
