// @NAME@: a kind of devices for convoy that computes with plain loops on one thread. It is complete
// and correct, but slow. Replace the loops by the code of your hardware, one layer after the other,
// and let `convoy check` tell you whether it still computes the same.
//
// convoy/abi/device.h explains every function.

#include <convoy/device.hpp>

#include <cstdlib>
#include <cstring>
#include <new>

#include "lanes.hpp"
#include "operations.hpp"
#include "program.hpp"

namespace {

constexpr std::size_t kAlignment = 64;

class @CLASS@ : public convoy::Device {
 public:
  // Leave this out if the device has processors of its own.
  static constexpr std::uint32_t kTraits = CONVOY_DEVICES_ON_HOST_PROCESSORS;
  // --device=auto never takes this device. With CONVOY_PREFERENCE_ACCELERATORS, it takes it before
  // the host's processors.
  static constexpr std::uint32_t kPreference = CONVOY_PREFERENCE_NONE;

  // One device, unless the request states a number.
  static std::uint32_t count(const convoy::DeviceHost&, const convoy_device_request& request) {
    return request.devices == 0 ? 1 : request.devices;
  }

  static std::unique_ptr<Device> open(const convoy::DeviceHost&, const convoy_device_request&,
                                      std::uint32_t index) {
    return std::make_unique<@CLASS@>(index);
  }

  explicit @CLASS@(std::uint32_t index)
      : index_(index), lanes_([](const convoy_submission& it) { run(it); }) {}

  void describe(convoy_device_description& out) override {
    // Leave out the first flag if the device has memory of its own: then all memory of operations
    // comes from allocate(), and write() and read() copy.
    out.flags = CONVOY_DEVICE_SHARES_HOST_MEMORY | CONVOY_DEVICE_DETERMINISTIC;
    out.threads = 1;
    out.numa_node = CONVOY_NONE;
    out.lanes = Lanes::kCount;
    out.half_dtype = CONVOY_NONE;
    convoy::set_text(out.name, "@NAME@:" + std::to_string(index_));
    convoy::set_text(out.model, "plain loops on one thread");
  }

  // Parameters have the plain layout of the graph.
  void propose_layout(const convoy_compilation& what, convoy_layout* out) override {
    for (std::uint64_t i = 0; i < what.graph->variable_count; ++i)
      out[i] = what.graph->variables[i]->layout;
  }

  void* compile(const convoy_compilation& what) override { return new Program(what); }
  void release(void* program) override { delete static_cast<Program*>(program); }

  convoy_program_memory program_memory(void* program) override {
    return {sizeof(convoy_program_memory), static_cast<const Program*>(program)->activation_bytes(), 0};
  }

  void* allocate(std::uint64_t bytes) override {
    const std::size_t size = (bytes / kAlignment + 1) * kAlignment;
    void* memory = std::aligned_alloc(kAlignment, size);
    if (memory == nullptr) throw std::bad_alloc();
    return std::memset(memory, 0, size);
  }
  void deallocate(void* memory) override { std::free(memory); }

  void write(void* to, const void* from_host, std::uint64_t bytes) override {
    std::memcpy(to, from_host, bytes);
  }
  void read(void* to_host, const void* from, std::uint64_t bytes) override {
    std::memcpy(to_host, from, bytes);
  }

  void supports(const convoy_operation& operation) override {
    if (const char* reason = refusal_of(operation)) throw std::invalid_argument(reason);
  }

  void submit(const convoy_submission& submission) override { lanes_.submit(submission); }
  bool wait(const convoy_wait& point, double seconds) override {
    return lanes_.wait(point, seconds);
  }
  double now() override { return now_seconds(); }

 private:
  static void run(const convoy_submission& it) {
    if (it.kind == CONVOY_OP_FORWARD)
      static_cast<Program*>(it.compute->program)->forward(it);
    else if (it.kind == CONVOY_OP_BACKWARD)
      static_cast<Program*>(it.compute->program)->backward(it);
    else
      run_operation(it);
  }

  std::uint32_t index_;
  Lanes lanes_;
};

}  // namespace

CONVOY_DEVICE(@CLASS@, "name=@NAME@", "version=0.1.0",
              "description=Plain loops on one thread.");
