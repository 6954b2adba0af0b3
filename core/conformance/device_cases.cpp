// The device's description of itself, and its memory.
#include <convoy/sized.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/conformance/conformance.hpp"

namespace convoy::conformance {
namespace {

constexpr std::uint32_t kLeastLanes = 5;
constexpr std::uint32_t kUnknownOperation = 4242;

std::string check_description(const plugin::DevicePlugin&, TestedDevice& device) {
  constexpr std::uint32_t kKnown = CONVOY_DEVICE_SHARES_HOST_MEMORY | CONVOY_DEVICE_DETERMINISTIC |
                                   CONVOY_DEVICE_EMULATES_HALF | CONVOY_DEVICE_JOINS_UPDATES;
  const convoy_device_description& it = device.description();
  if (it.name[0] == '\0') return "describe() leaves the name empty";
  if (it.lanes < kLeastLanes)
    return fmt::format("describe() says {} lanes; submit must accept at least {}", it.lanes,
                       kLeastLanes);
  if ((it.flags & ~kKnown) != 0)
    return fmt::format("describe() sets flags {:#x}, which this convoy does not know",
                       it.flags & ~kKnown);
  constexpr std::array kHalves = {std::uint32_t{CONVOY_F32}, std::uint32_t{CONVOY_F16},
                                  std::uint32_t{CONVOY_BF16}, std::uint32_t{CONVOY_NONE}};
  if (std::ranges::find(kHalves, it.half_dtype) == kHalves.end())
    return fmt::format("half_dtype is {}, which is neither bf16, f16 nor CONVOY_NONE",
                       it.half_dtype);
  return {};
}

// Device memory that is freed on every path.
class DeviceMemory {
 public:
  DeviceMemory(TestedDevice& device, std::uint64_t bytes)
      : device_(device.open()), memory_(device_.allocate(bytes)) {}
  ~DeviceMemory() { device_.deallocate(memory_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  void* get() const { return memory_; }

 private:
  plugin::OpenDevice& device_;
  void* memory_;
};

std::string check_memory(TestedDevice& device, std::uint64_t bytes) {
  const DeviceMemory memory(device, bytes);
  if (reinterpret_cast<std::uintptr_t>(memory.get()) % 64 != 0)
    return fmt::format("allocate({}) gives memory that is not 64-byte aligned", bytes);
  std::vector<std::uint8_t> there(bytes, 1);
  device.open().read(there.data(), memory.get(), bytes);
  const auto dirty = std::ranges::find_if(there, [](std::uint8_t byte) { return byte != 0; });
  if (dirty != there.end())
    return fmt::format("byte {} of allocate({}) is {} instead of 0", dirty - there.begin(), bytes,
                       *dirty);
  std::vector<std::uint8_t> values(bytes);
  for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<std::uint8_t>(i * 37 + 11);
  device.open().write(memory.get(), values.data(), bytes);
  device.open().read(there.data(), memory.get(), bytes);
  const auto [wrong, right] = std::ranges::mismatch(there, values);
  if (wrong == there.end()) return {};
  return fmt::format("of {} bytes, write() and read() bring back byte {} as {} instead of {}",
                     bytes, wrong - there.begin(), *wrong, *right);
}

std::string check_memory_of_all_sizes(const plugin::DevicePlugin&, TestedDevice& device) {
  for (const std::uint64_t bytes : {1u, 4u, 1000003u}) {
    std::string wrong = check_memory(device, bytes);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

std::string check_unknown_operation(const plugin::DevicePlugin&, TestedDevice& device) {
  auto question = make_sized<convoy_operation>();
  question.kind = kUnknownOperation;
  if (device.open().refusal(question)) return {};
  return fmt::format("supports() accepts operation {}, which does not exist", kUnknownOperation);
}

}  // namespace

void add_device_cases(std::vector<ConformanceCase>& cases) {
  cases.push_back({"device", "describes itself", check_description});
  cases.push_back(
      {"device", "memory: zeroed, aligned, written and read", check_memory_of_all_sizes});
  cases.push_back({"device", "an unknown operation is refused", check_unknown_operation});
}

}  // namespace convoy::conformance
