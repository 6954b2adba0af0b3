// error_feedback: a strategy as somebody outside of convoy would write one, with an option, memory
// that survives steps and a kernel of its own.

#include <convoy/strategy.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace {

// Rounds gradient + error to multiples of one unit per call, so that the largest value needs
// kBits bits, and keeps what rounding lost as the error of the next step.
template <int kBits>
std::int32_t quantise(const convoy_region* reads, std::uint64_t read_count,
                      const convoy_region* writes, std::uint64_t write_count) {
  if (read_count != 2 || write_count != 2 || reads[0].count != reads[1].count) return 1;
  const auto* gradient = static_cast<const float*>(reads[0].data);
  const auto* error = static_cast<const float*>(reads[1].data);
  auto* rounded = static_cast<float*>(writes[0].data);
  auto* kept = static_cast<float*>(writes[1].data);
  std::vector<float> wanted(reads[0].count);
  float largest = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    wanted[i] = gradient[i] + error[i];
    largest = std::max(largest, std::abs(wanted[i]));
  }
  const float unit = largest / static_cast<float>((1 << (kBits - 1)) - 1);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    rounded[i] = unit > 0 ? std::round(wanted[i] / unit) * unit : 0.0f;
    kept[i] = wanted[i] - rounded[i];
  }
  return 0;
}

// As replicated training, but every replica rounds its gradients before they are summed and adds
// what that lost to the gradients of its next step.
class ErrorFeedback : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    const std::string kernel = "quantise_" + p.option("bits");
    p.compute();
    for (const convoy::Range range : p.buckets()) {
      for (const auto r : p.replicas()) {
        const convoy::Span gradient = p.gradient(r)[range];
        const convoy::Buffer error = p.persistent(p.replica_place(r), range.count);
        p.call(kernel.c_str(), p.replica_place(r), {gradient, error}, {gradient, error},
               {.bytes = 16 * range.count, .flops = 6 * range.count});
      }
      p.all_reduce(p.all_gradients(range));
      for (const auto r : p.replicas()) p.apply(p.parameters(r)[range], p.gradient(r)[range]);
    }
  }

  convoy_host_kernel host_kernel(const std::string& name) override {
    if (name == "quantise_4") return quantise<4>;
    if (name == "quantise_8") return quantise<8>;
    if (name == "quantise_16") return quantise<16>;
    return nullptr;
  }
};

}  // namespace

CONVOY_STRATEGY(ErrorFeedback, "name=error_feedback", "version=0.3.0",
                "description=Replicas exchange rounded gradients and carry the error over.",
                "claim=approximate", "option=bits:enum:8:4|8|16:Bits per gradient.",
                "needs=forward,backward,call,all_reduce,apply")
