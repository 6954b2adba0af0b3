// A device that runs every operation while it is submitted, with plain loops: enough for networks
// of fully connected layers and plain gradient descent.
#include <convoy/device.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

#include "inline_program.hpp"
#include "later_fields.hpp"

namespace {

const float* numbers(const convoy_region& region) {
  return static_cast<const float*>(region.data);
}

float* results(const convoy_region& region) {
  return static_cast<float*>(region.data);
}

void sum(const convoy_submission& it) {
  for (std::uint64_t i = 0; i < it.writes[0].count; ++i) {
    float total = 0;
    for (std::uint64_t r = 0; r < it.read_count; ++r) total += numbers(it.reads[r])[i];
    results(it.writes[0])[i] = total;
  }
}

void apply(const convoy_submission& it) {
  const convoy_update& update = *it.updates[0];
  if (it.update_count != 1 || update.optimizer->kind != CONVOY_OPTIMIZER_SGD)
    throw std::invalid_argument("only plain gradient descent on one span");
  const auto rate = static_cast<float>(it.learning_rate * update.optimizer->gradient_scale /
                                       static_cast<double>(update.contributions));
  for (std::uint64_t i = 0; i < it.writes[0].count; ++i)
    results(it.writes[0])[i] -= rate * numbers(it.reads[0])[i];
}

void run(const convoy_submission& it) {
  switch (it.kind) {
    case CONVOY_OP_COPY:
      std::memmove(it.writes[0].data, it.reads[0].data, it.writes[0].count * sizeof(float));
      return;
    case CONVOY_OP_SUM:
      return sum(it);
    case CONVOY_OP_APPLY:
      return apply(it);
    case CONVOY_OP_CALL:
      if (it.host_kernel(it.reads, it.read_count, it.writes, it.write_count) != 0)
        throw std::runtime_error("a kernel failed");
      return;
    case CONVOY_OP_FORWARD:
      return static_cast<InlineProgram*>(it.compute->program)->forward(*it.compute);
    case CONVOY_OP_BACKWARD:
      return static_cast<InlineProgram*>(it.compute->program)->backward(*it.compute);
    default:
      throw std::invalid_argument("operation " + std::to_string(it.kind) + " is not supported");
  }
}

bool holds(const convoy_wait& wait) {
  return std::atomic_ref(*const_cast<std::uint64_t*>(wait.timeline)).load() >= wait.value;
}

class InlineDevice : public convoy::Device {
 public:
  static std::uint32_t count(const convoy::DeviceHost&, const convoy_device_request& request) {
    require_later_fields_zero(request);
    return request.devices == 0 ? 1 : request.devices;
  }
  static std::unique_ptr<convoy::Device> open(const convoy::DeviceHost& host,
                                              const convoy_device_request&, std::uint32_t) {
    host.log(convoy::LogLevel::kInfo, "inline device opened");
    return std::make_unique<InlineDevice>();
  }

  void describe(convoy_device_description& out) override {
    out.flags = CONVOY_DEVICE_SHARES_HOST_MEMORY | CONVOY_DEVICE_DETERMINISTIC;
    out.numa_node = CONVOY_NONE;
    out.lanes = 5;
    convoy::set_text(out.name, "inline");
  }
  void propose_layout(const convoy_compilation& what, convoy_layout* out) override {
    for (std::uint64_t i = 0; i < what.graph->variable_count; ++i)
      out[i] = what.graph->variables[i]->layout;
  }
  void* compile(const convoy_compilation& what) override {
    require_later_fields_zero(what);
    require_later_fields_zero(*what.graph);
    for (std::uint64_t n = 0; n < what.graph->node_count; ++n) {
      require_later_fields_zero(*what.graph->nodes[n]);
      require_later_fields_zero(*what.graph->nodes[n]->layer);
    }
    for (std::uint64_t v = 0; v < what.graph->variable_count; ++v)
      require_later_fields_zero(*what.graph->variables[v]);
    return new InlineProgram(what);
  }
  convoy_program_memory program_memory(void* /*program*/) override {
    convoy_program_memory memory{};
    memory.activations = 1000;
    memory.scratch = 24;
    return memory;
  }
  void release(void* program) override { delete static_cast<InlineProgram*>(program); }
  void* allocate(std::uint64_t bytes) override {
    const std::uint64_t size = (bytes / 64 + 1) * 64;
    void* memory = std::aligned_alloc(64, size);
    if (memory == nullptr) throw std::bad_alloc();
    return std::memset(memory, 0, size);
  }
  void deallocate(void* memory) override { std::free(memory); }
  void write(void* to, const void* from, std::uint64_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void read(void* to, const void* from, std::uint64_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void supports(const convoy_operation& operation) override {
    require_later_fields_zero(operation);
    if (operation.kind == CONVOY_OP_MATMUL) throw std::runtime_error("matmul is not supported");
  }
  void submit(const convoy_submission& it) override {
    require_later_fields_zero(it);
    if (it.compute != nullptr) require_later_fields_zero(*it.compute);
    for (std::uint64_t u = 0; u < it.update_count; ++u) {
      require_later_fields_zero(*it.updates[u]);
      require_later_fields_zero(*it.updates[u]->optimizer);
    }
    for (std::uint64_t i = 0; i < it.wait_count; ++i)
      if (!holds(it.waits[i])) throw std::logic_error("submitted before what it waits for");
    const double start = now();
    run(it);
    if (it.timing != nullptr) *it.timing = {start, now()};
    std::atomic_ref(*it.timeline).store(it.value);
  }
  bool wait(const convoy_wait& point, double) override { return holds(point); }
  double now() override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace

CONVOY_DEVICE(InlineDevice, "name=inline", "version=0.1.0",
              "description=Runs everything while it is submitted.");
