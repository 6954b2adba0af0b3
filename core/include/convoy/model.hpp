// C++20 wrapper for model plug-ins. A model is one class and one macro:
//
//   class Tiny : public convoy::Model {
//     convoy::ModelInfo info() const override { return {.image_size = 28, .batch_size = 32}; }
//     void build(convoy::GraphBuilder& g) override {
//       auto x = g.conv(g.input(), 32, {.kernel = 5, .relu = true});
//       x = g.max_pool(x, {.kernel = 2, .stride = 2});
//       x = g.fully_connected(x, 512, {.relu = true});
//       g.classify(x);
//     }
//   };
//   CONVOY_MODEL(Tiny, "name=tiny", "version=1.0", "description=Two layers.")
//
// Each call returns the number of its layer. Variables are created in the order of the calls. The
// host infers shapes and padding and refuses impossible layers. The wrapper turns a refusal into an
// exception, and every exception into an error of the host.
#ifndef CONVOY_MODEL_HPP
#define CONVOY_MODEL_HPP

#include <convoy/abi.h>
#include <convoy/graph_builder.hpp>
#include <convoy/host_calls.hpp>
#include <convoy/manifest.hpp>
#include <convoy/options.hpp>
#include <convoy/sized.hpp>

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

namespace convoy {

using RateRule = convoy_rate_rule;

constexpr RateRule constant_rate(double rate) {
  RateRule rule{};
  rule.kind = CONVOY_RATE_CONSTANT;
  rule.base = rate;
  return rule;
}

struct RateStep {
  double after_epochs;
  double multiplier;
};

// base * batch / reference_batch * the multiplier of the last step passed, after a linear ramp from
// 0. The batch is that of all replicas; with reference_batch 0 it has no effect. Throws
// std::length_error for more than 8 steps.
constexpr RateRule piecewise_rate(double base, double reference_batch, double warmup_epochs,
                                  std::initializer_list<RateStep> steps) {
  RateRule rule = constant_rate(base);
  rule.kind = CONVOY_RATE_PIECEWISE;
  rule.reference_batch = reference_batch;
  rule.warmup_epochs = warmup_epochs;
  if (steps.size() > std::size(rule.multipliers)) throw std::length_error("too many rate steps");
  for (const RateStep& step : steps) {
    rule.boundary_epochs[rule.boundaries] = step.after_epochs;
    rule.multipliers[rule.boundaries++] = step.multiplier;
  }
  return rule;
}

// base * factor ^ floor(epochs / epochs_per_decay)
constexpr RateRule staircase_rate(double base, double epochs_per_decay, double factor) {
  RateRule rule = constant_rate(base);
  rule.kind = CONVOY_RATE_STAIRCASE;
  rule.epochs_per_decay = epochs_per_decay;
  rule.factor = factor;
  return rule;
}

struct ModelInfo {
  uint32_t image_size;               // height and width of the input
  uint32_t batch_size;               // per device, the default
  const char* dataset = "imagenet";  // a text that lives as long as the model
  RateRule rate = constant_rate(0.005);
};

template <typename Class>
struct ModelTable;

// The class that a model plug-in implements. One thread at a time calls the functions of an object;
// different threads may call different objects at the same time.
class Model {
 public:
  virtual ~Model() = default;
  virtual ModelInfo info() const = 0;
  virtual void build(GraphBuilder& graph) = 0;

 protected:
  // Value of an option, as Options::option; valid inside info() and build().
  std::string option(const char* name) const { return Options(host_, context_).option(name); }

 private:
  template <typename Class>
  friend struct ModelTable;
  const convoy_host* host_ = nullptr;
  convoy_context* context_ = nullptr;
};

// The C table of a model class; authors of models do not use it.
template <typename Class>
struct ModelTable {
  static const convoy_model* table() noexcept {
    static constexpr convoy_model kTable = {
        sizeof(convoy_model), CONVOY_ABI_MAJOR, CONVOY_ABI_MINOR, create, destroy, info, build};
    return &kTable;
  }

 private:
  template <typename Call>
  static int32_t on_instance(void* self, convoy_context* context, Call call) noexcept {
    auto* model = static_cast<Model*>(self);
    model->context_ = context;
    const int32_t status =
        detail::guarded(model->host_, context, CONVOY_FAILED, [&] { call(*model); });
    model->context_ = nullptr;
    return status;
  }

  static int32_t create(convoy_context* context, const convoy_host* host, void** self) noexcept {
    return detail::guarded(host, context, CONVOY_FAILED, [&] {
      std::unique_ptr<Model> model = std::make_unique<Class>();
      model->host_ = host;
      *self = model.release();
    });
  }

  static void destroy(void* self) noexcept { delete static_cast<Model*>(self); }

  static int32_t info(void* self, convoy_context* context, convoy_model_info* out) noexcept {
    return on_instance(self, context, [out](Model& model) {
      const ModelInfo info = model.info();
      convoy_model_info answer{};
      answer.image_size = info.image_size;
      answer.batch_size = info.batch_size;
      answer.dataset = info.dataset;
      answer.rate = info.rate;
      answer_sized(*out, answer, "convoy_model_info");
    });
  }

  static int32_t build(void* self, convoy_context* context,
                       const convoy_graph_builder* builder) noexcept {
    return on_instance(self, context, [builder](Model& model) {
      GraphBuilder graph(*builder);
      model.build(graph);
    });
  }
};

}  // namespace convoy

// Defines the entry point and the manifest; the arguments after the class are its key=value lines
// (name, version, description, option; see manifest.hpp).
#define CONVOY_MODEL(Class, ...)                                       \
  CONVOY_MANIFEST("kind=model", __VA_ARGS__);                          \
  extern "C" CONVOY_EXPORT const convoy_model* convoy_model_v1(void) { \
    return ::convoy::ModelTable<Class>::table();                       \
  }

#endif
