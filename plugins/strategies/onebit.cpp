#include <convoy/strategy.hpp>

#include <string>
#include <vector>

namespace {

// 1-bit SGD (Seide et al., 2014) and signSGD with error feedback (Karimireddy et al., 2019): every
// replica sends its gradients' signs, and adds the error of that to the gradients of the next step.
class OneBit : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    const std::string code = p.option("code");
    convoy::Coding coding{convoy::Code::kSign, static_cast<std::uint64_t>(p.integer("block"))};
    if (code == "4bit") coding.code = convoy::Code::k4Bits;
    if (code == "8bit") coding.code = convoy::Code::k8Bits;
    if (p.integer("block") < 1) p.refuse("block is at least 1");
    p.compute();
    for (const convoy::Range range : p.buckets()) exchange(p, range, coding);
  }

 private:
  static void exchange(convoy::Planner& p, convoy::Range range, convoy::Coding coding) {
    const std::uint64_t n = p.replica_count();
    const std::uint64_t bytes = coding.code_bytes(range.count);
    const std::uint64_t blocks = coding.scales(range.count);
    std::vector<convoy::Span> codes, scales, all_codes, all_scales;
    for (const auto r : p.replicas()) {
      const convoy::PlaceId here = p.replica_place(r);
      const convoy::Buffer residual = p.persistent(here, range.count);
      p.name(residual, "residual");
      p.add(residual, residual, p.gradient(r)[range]);
      all_codes.push_back(p.scratch(here, n * bytes, convoy::Dtype::kU8));
      all_scales.push_back(p.scratch(here, n * blocks));
      codes.push_back(convoy::part(all_codes.back(), r.index() * bytes, bytes));
      scales.push_back(convoy::part(all_scales.back(), r.index() * blocks, blocks));
      p.quantise(codes.back(), scales.back(), residual, coding, residual);
    }
    p.all_gather(all_codes, codes);
    p.all_gather(all_scales, scales);
    for (const auto r : p.replicas()) {
      const convoy::Span sum = p.gradient(r)[range];
      p.dequantise(sum, all_codes[r.index()], all_scales[r.index()], coding, {.messages = n});
      p.apply(p.parameters(r)[range], sum);
    }
  }
};

}  // namespace

CONVOY_STRATEGY(OneBit, "name=onebit", "version=0.1.0",
                "description=Devices exchange signs of gradients with a scale per block and keep "
                "what these leave out for the next step (error feedback).",
                "claim=approximate",
                "option=code:enum:sign:sign|4bit|8bit:Code of a gradient element.",
                "option=block:int:256::Number of gradient elements that share a scale.",
                "needs=forward,backward,add,quantise,all_gather,dequantise,apply")
