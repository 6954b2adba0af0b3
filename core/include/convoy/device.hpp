// How to write a device plug-in in C++20: derive from convoy::Device and end one source file with
// CONVOY_DEVICE(MyDevice, "name=my_device", "version=0.1.0", "description=..."). Needs nothing but
// the SDK's headers. The meaning of every function is in convoy/abi/device.h.
#ifndef CONVOY_DEVICE_HPP
#define CONVOY_DEVICE_HPP

#include <convoy/abi.h>

#include <algorithm>
#include <atomic>
#include <convoy/host_calls.hpp>
#include <convoy/known_compilation.hpp>
#include <convoy/known_submissions.hpp>
#include <convoy/manifest.hpp>
#include <convoy/sized.hpp>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace convoy {

// The functions of the host that a device may use during one call. A device's wait() throws
// TimedOut when another device did not come or was lost.
using DeviceHost = HostCalls;

class Device;

// A convoy_collective_group in C++.
struct CollectiveGroup {
  convoy_collective_id id;
  uint32_t ranks;
  std::vector<Device*> devices;  // of this process
  std::vector<uint32_t> device_ranks;
  double seconds;
  const uint32_t* given_up;

  bool is_given_up() const {
    auto* flag = const_cast<uint32_t*>(given_up);  // atomic_ref takes no const
    return std::atomic_ref<uint32_t>(*flag).load(std::memory_order_acquire) != 0;
  }
};

// One opened device. A function reports failure by throwing a std::exception, whose text becomes
// the error of the call. A derived class also has
//   static uint32_t count(const DeviceHost&, const convoy_device_request&);
//   static std::unique_ptr<Device> open(const DeviceHost&, const convoy_device_request&,
//                                       uint32_t index);
// Its destructor waits for submitted work. The structs are those of the ABI with all fields that
// this header knows, whatever the version of the host. Fields that an older host does not have are
// zero; a newer host that uses an unknown field is refused. Any thread may call wait(), now()
// and interrupt_collective_group() at any time. One thread at a time per device calls the other
// functions, while submitted operations run. A derived class may redefine the constants.
class Device {
 public:
  static constexpr uint32_t kTraits = 0;                           // convoy_device_trait
  static constexpr uint32_t kPreference = CONVOY_PREFERENCE_NONE;  // for --device=auto
  static constexpr uint32_t kKernelForms = 0;  // forms of a strategy's kernels; 0: host functions

  virtual ~Device() = default;
  // `out` is zero on entry.
  virtual void describe(convoy_device_description& out) = 0;
  virtual void propose_layout(const convoy_compilation& what, convoy_layout* out) = 0;
  // `what.graph` and all it points to stay valid until release.
  virtual void* compile(const convoy_compilation& what) = 0;
  // Optional: a remark about a compiled program for the user, written to the log.
  virtual std::string remark(void* /*program*/) { return {}; }
  virtual void release(void* program) = 0;
  virtual void* allocate(uint64_t bytes) = 0;
  virtual void deallocate(void* memory) = 0;
  virtual void write(void* to, const void* from_host, uint64_t bytes) = 0;
  virtual void read(void* to_host, const void* from, uint64_t bytes) = 0;
  // Throws with the reason when the operation cannot run here.
  virtual void supports(const convoy_operation& operation) = 0;
  // Queues the operation; returns at once. The submission stays valid until it is done.
  virtual void submit(const convoy_submission& submission) = 0;
  // Returns whether the point was reached. Throws with the text of the device's first failed
  // operation.
  virtual bool wait(const convoy_wait& point, double seconds) = 0;
  virtual double now() = 0;
  // Optional: the records of a program compiled with CONVOY_COMPILE_PROFILE.
  virtual std::vector<convoy_profile_record> profile(void* /*program*/) {
    throw std::runtime_error("this kind of device keeps no times of layers");
  }
  // Optional: a convoy_measurement.
  virtual double measure(uint32_t /*what*/) {
    throw std::runtime_error("this kind of device does not measure its own speed");
  }
  // Optional.
  virtual convoy_program_memory program_memory(void* /*program*/) { return {}; }
  // The next two are for devices with memory of their own.
  virtual void* allocate_host(uint64_t bytes) { return allocate(bytes); }
  virtual bool reaches(Device& /*other*/) { return false; }
  // Throws with the reason when collectives over these devices cannot be submitted as one
  // operation.
  virtual void supports_collectives(const std::vector<Device*>& /*devices*/, bool /*prepare*/) {
    throw std::runtime_error("this kind of device has no collectives of its own");
  }
  // The next two are for devices with other kKernelForms: see convoy_device.build_kernel.
  virtual void* build_kernel(const convoy_kernel_code& /*code*/) {
    throw std::runtime_error("this kind of device runs host functions only");
  }
  virtual void free_kernel(void* /*kernel*/) {}
  // The next four are for devices with CONVOY_DEVICE_COLLECTIVES_SPAN_PROCESSES.
  virtual convoy_collective_id create_collective_id() {
    throw std::runtime_error("collectives of this kind of device do not span processes");
  }
  // Throws TimedOut when the other processes do not come in time.
  virtual void* open_collective_group(const CollectiveGroup& /*what*/) {
    throw std::runtime_error("collectives of this kind of device do not span processes");
  }
  virtual void close_collective_group(void* /*group*/) {}
  // Must not throw.
  virtual void interrupt_collective_group(void* /*group*/, const std::string& /*reason*/) {}
};

namespace device_detail {

// The instance behind a table: the host's functions for set_error, and the structs that the device
// got, copied to its own sizes.
struct Instance {
  const convoy_host* host;
  std::map<void*, std::unique_ptr<KnownCompilation>> compilations{};  // by program
  KnownSubmissions submissions{};
  std::unique_ptr<Device> device{};  // destroyed first: it uses the members above
};

template <typename Body>
int32_t guarded(const convoy_host* host, convoy_context* context, Body&& body) noexcept {
  return convoy::detail::guarded(host, context, CONVOY_FAILED, std::forward<Body>(body));
}

template <typename Body>
int32_t on_device(void* instance, convoy_context* context, Body&& body) noexcept {
  auto* self = static_cast<Instance*>(instance);
  return guarded(self->host, context, [&] { body(*self->device); });
}

inline Device& device_of(void* instance) {
  return *static_cast<Instance*>(instance)->device;
}

inline int32_t describe(void* self, convoy_context* context,
                        convoy_device_description* out) noexcept {
  return on_device(self, context, [&](Device& device) {
    convoy_device_description description{};
    device.describe(description);
    answer_sized(*out, description, "convoy_device_description");
  });
}
inline int32_t propose_layout(void* self, convoy_context* context, const convoy_compilation* what,
                              convoy_layout* out) noexcept {
  return on_device(self, context, [&](Device& device) {
    device.propose_layout(KnownCompilation(*what).get(), out);
  });
}
inline int32_t compile(void* self, convoy_context* context, const convoy_compilation* what,
                       void** program) noexcept {
  auto* instance = static_cast<Instance*>(self);
  return on_device(self, context, [&](Device& device) {
    auto known = std::make_unique<KnownCompilation>(*what);
    *program = device.compile(known->get());
    instance->compilations[*program] = std::move(known);
    try {
      const std::string remark = device.remark(*program);
      if (!remark.empty()) instance->host->log(context, CONVOY_LOG_INFO, remark.c_str());
    } catch (...) {  // the host does not release a program that it did not get
      device.release(*program);
      instance->compilations.erase(*program);
      throw;
    }
  });
}
inline void release(void* self, void* program) noexcept {
  device_of(self).release(program);
  static_cast<Instance*>(self)->compilations.erase(program);
}
inline int32_t allocate(void* self, convoy_context* context, uint64_t bytes,
                        void** memory) noexcept {
  return on_device(self, context, [&](Device& device) { *memory = device.allocate(bytes); });
}
inline void deallocate(void* self, void* memory) noexcept {
  device_of(self).deallocate(memory);
}
inline int32_t write(void* self, convoy_context* context, void* to, const void* from_host,
                     uint64_t bytes) noexcept {
  return on_device(self, context, [&](Device& device) { device.write(to, from_host, bytes); });
}
inline int32_t read(void* self, convoy_context* context, void* to_host, const void* from,
                    uint64_t bytes) noexcept {
  return on_device(self, context, [&](Device& device) { device.read(to_host, from, bytes); });
}
inline int32_t supports(void* self, convoy_context* context,
                        const convoy_operation* operation) noexcept {
  return on_device(self, context, [&](Device& device) {
    const auto known = read_sized(*operation, "convoy_operation", Side::kPlugin);
    require_known_operation(known);
    device.supports(known);
  });
}
inline int32_t submit(void* self, convoy_context* context,
                      const convoy_submission* submission) noexcept {
  KnownSubmissions& submissions = static_cast<Instance*>(self)->submissions;
  return on_device(self, context,
                   [&](Device& device) { device.submit(submissions.known(*submission)); });
}
inline int32_t wait(void* self, convoy_context* context, const convoy_wait* point, double seconds,
                    uint32_t* reached) noexcept {
  return on_device(self, context,
                   [&](Device& device) { *reached = device.wait(*point, seconds) ? 1u : 0u; });
}
inline double now(void* self) noexcept {
  return device_of(self).now();
}
inline int32_t profile(void* self, convoy_context* context, void* program,
                       convoy_profile_record* out, uint64_t capacity, uint64_t* count) noexcept {
  return on_device(self, context, [&](Device& device) {
    const std::vector<convoy_profile_record> records = device.profile(program);
    *count = records.size();
    std::copy_n(records.begin(), std::min<uint64_t>(capacity, *count), out);
  });
}
inline int32_t measure(void* self, convoy_context* context, uint32_t what, double* out) noexcept {
  return on_device(self, context, [&](Device& device) { *out = device.measure(what); });
}
inline int32_t program_memory(void* self, convoy_context* context, void* program,
                              convoy_program_memory* out) noexcept {
  return on_device(self, context, [&](Device& device) {
    answer_sized(*out, device.program_memory(program), "convoy_program_memory");
  });
}
inline int32_t allocate_host(void* self, convoy_context* context, uint64_t bytes,
                             void** memory) noexcept {
  return on_device(self, context, [&](Device& device) { *memory = device.allocate_host(bytes); });
}
inline int32_t reaches(void* self, convoy_context* context, void* other, uint32_t* out) noexcept {
  return on_device(self, context,
                   [&](Device& device) { *out = device.reaches(device_of(other)) ? 1u : 0u; });
}
inline int32_t supports_collectives(void* self, convoy_context* context, void* const* devices,
                                    uint64_t count, uint32_t prepare) noexcept {
  return on_device(self, context, [&](Device& device) {
    std::vector<Device*> all;
    for (uint64_t i = 0; i < count; ++i) all.push_back(&device_of(devices[i]));
    device.supports_collectives(all, prepare != 0);
  });
}
inline int32_t build_kernel(void* self, convoy_context* context, const convoy_kernel_code* code,
                            void** kernel) noexcept {
  return on_device(self, context, [&](Device& device) {
    const auto known = read_sized(*code, "convoy_kernel_code", Side::kPlugin);
    require_known(known.reserved == 0, "reserved field of a kernel", known.reserved, Side::kPlugin);
    *kernel = device.build_kernel(known);
  });
}
inline void free_kernel(void* self, void* kernel) noexcept {
  device_of(self).free_kernel(kernel);
}
inline int32_t create_collective_id(void* self, convoy_context* context,
                                    convoy_collective_id* out) noexcept {
  return on_device(self, context, [&](Device& device) { *out = device.create_collective_id(); });
}
inline int32_t open_collective_group(void* self, convoy_context* context,
                                     const convoy_collective_group* what, void** group) noexcept {
  return on_device(self, context, [&](Device& device) {
    const auto known = read_sized(*what, "convoy_collective_group", Side::kPlugin);
    CollectiveGroup here{*known.id,     static_cast<uint32_t>(known.ranks), {}, {}, known.seconds,
                         known.given_up};
    for (uint64_t i = 0; i < known.device_count; ++i) {
      here.devices.push_back(&device_of(known.devices[i]));
      here.device_ranks.push_back(known.device_ranks[i]);
    }
    *group = device.open_collective_group(here);
  });
}
inline void close_collective_group(void* self, void* group) noexcept {
  device_of(self).close_collective_group(group);
}
inline void interrupt_collective_group(void* self, void* group, const char* reason) noexcept {
  device_of(self).interrupt_collective_group(group, reason);
}
inline void close(void* self) noexcept {
  delete static_cast<Instance*>(self);
}

template <typename Class>
int32_t count(convoy_context* context, const convoy_host* host,
              const convoy_device_request* request, uint32_t* out) noexcept {
  return guarded(host, context, [&] {
    *out = Class::count(DeviceHost(context, host),
                        read_sized(*request, "convoy_device_request", Side::kPlugin));
  });
}

template <typename Class>
int32_t open(convoy_context* context, const convoy_host* host, const convoy_device_request* request,
             uint32_t index, void** out) noexcept {
  return guarded(host, context, [&] {
    auto instance = std::make_unique<Instance>(Instance{host});
    instance->device =
        Class::open(DeviceHost(context, host),
                    read_sized(*request, "convoy_device_request", Side::kPlugin), index);
    *out = instance.release();
  });
}

template <typename Class>
inline constexpr convoy_device kTable = {sizeof(convoy_device),
                                         CONVOY_ABI_MAJOR,
                                         CONVOY_ABI_MINOR,
                                         count<Class>,
                                         open<Class>,
                                         close,
                                         describe,
                                         propose_layout,
                                         compile,
                                         release,
                                         allocate,
                                         deallocate,
                                         write,
                                         read,
                                         supports,
                                         submit,
                                         wait,
                                         now,
                                         profile,
                                         measure,
                                         program_memory,
                                         allocate_host,
                                         reaches,
                                         supports_collectives,
                                         Class::kTraits,
                                         Class::kPreference,
                                         Class::kKernelForms,
                                         0,
                                         build_kernel,
                                         free_kernel,
                                         create_collective_id,
                                         open_collective_group,
                                         close_collective_group,
                                         interrupt_collective_group};

}  // namespace device_detail

}  // namespace convoy

#define CONVOY_DEVICE(Class, ...)                                    \
  CONVOY_MANIFEST("kind=device", __VA_ARGS__);                       \
  extern "C" CONVOY_EXPORT const convoy_device* convoy_device_v1() { \
    return &::convoy::device_detail::kTable<Class>;                  \
  }                                                                  \
  static_assert(true, "a semicolon may follow")

#endif
