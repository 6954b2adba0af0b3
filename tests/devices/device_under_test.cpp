#include "tests/devices/device_under_test.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

// What the host keeps per call; the tests keep one per device.
struct convoy_context {
  std::string* error;
  std::vector<std::string>* log;
};

namespace convoy::test {
namespace {

void set_error(convoy_context* context, const char* text) {
  *context->error = text;
}
void log_line(convoy_context* context, std::int32_t, const char* text) {
  context->log->emplace_back(text);
}
const char* option(convoy_context*, const char*) {
  return nullptr;
}

constexpr convoy_host kHost = {sizeof(convoy_host), set_error, log_line, option};

convoy_device_request request_of(std::uint32_t devices, std::uint32_t threads) {
  return {sizeof(convoy_device_request), devices, threads};
}

// Tests of a kind of devices that this machine has none of are skipped, with its reason.
class SkipWithoutDevice : public testing::Environment {
 public:
  void SetUp() override {
    const char* kind = std::getenv("CONVOY_TEST_DEVICE");
    if (kind == nullptr) return;
    std::string error;
    std::vector<std::string> log;
    convoy_context context{&error, &log};
    const convoy_device_request request = request_of(1, 0);
    std::uint32_t count = 0;
    if (device_table().count(&context, &kHost, &request, &count) != 0)
      GTEST_SKIP() << "no CUDA device can be used: " << error;
  }
};

[[maybe_unused]] const testing::Environment* const kSkip =
    testing::AddGlobalTestEnvironment(new SkipWithoutDevice);

}  // namespace

const convoy_device& device_table() {
  static const convoy_device* table = [] {
    // As the host does: the OpenMP runtime reads this when it is loaded, and threads that spin for
    // long take the cores from each other.
    setenv("GOMP_SPINCOUNT", "1000", 0);
    const char* given = std::getenv("CONVOY_TEST_DEVICE");
    const std::string kind = given == nullptr ? "cpu" : given;
    const bool is_file = kind.find('/') != std::string::npos;
    const std::string path =
        is_file ? kind : CONVOY_BINARY_DIR "/lib/convoy/plugins/convoy_device_" + kind + ".so";
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    void* symbol = dlsym(library, "convoy_device_v1");
    if (symbol == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<convoy_device_entry>(symbol)();
  }();
  return *table;
}

DeviceUnderTest::DeviceUnderTest(std::uint32_t devices, std::uint32_t index,
                                 std::uint32_t threads) {
  const convoy_device_request request = request_of(devices, threads);
  convoy_context context{&error_, &log};
  require(device_table().open(&context, &kHost, &request, index, &self_));
  mirror_ = make_mirror();
}

std::uint32_t DeviceUnderTest::description_flags() {
  convoy_device_description description{};
  description.struct_size = sizeof description;
  convoy_context context{&error_, &log};
  require(device_table().describe(self_, &context, &description));
  return description.flags;
}

bool DeviceUnderTest::emulates_half() {
  return (description_flags() & CONVOY_DEVICE_EMULATES_HALF) != 0;
}

std::unique_ptr<MirroredMemory> DeviceUnderTest::make_mirror() {
  const convoy_device& table = device_table();
  if ((description_flags() & CONVOY_DEVICE_SHARES_HOST_MEMORY) != 0) return nullptr;
  return std::make_unique<MirroredMemory>(
      MirroredMemory::Functions{[this, &table](std::uint64_t bytes) {
                                  convoy_context here{&error_, &log};
                                  void* memory = nullptr;
                                  require(table.allocate(self_, &here, bytes, &memory));
                                  return memory;
                                },
                                [this, &table](void* memory) { table.deallocate(self_, memory); },
                                [this, &table](void* to, const void* from, std::uint64_t bytes) {
                                  convoy_context here{&error_, &log};
                                  require(table.write(self_, &here, to, from, bytes));
                                },
                                [this, &table](void* to, const void* from, std::uint64_t bytes) {
                                  convoy_context here{&error_, &log};
                                  require(table.read(self_, &here, to, from, bytes));
                                }});
}

DeviceUnderTest::~DeviceUnderTest() {
  mirror_.reset();
  device_table().close(self_);
}

void DeviceUnderTest::require(std::int32_t status) {
  if (status != 0) throw std::runtime_error(error_);
}

void DeviceUnderTest::submit(const convoy_submission& submission) {
  convoy_context context{&error_, &log};
  require(device_table().submit(self_, &context, &submission));
}

bool DeviceUnderTest::wait(const std::uint64_t& timeline, std::uint64_t value, double seconds) {
  convoy_context context{&error_, &log};
  const convoy_wait point{&timeline, value};
  std::uint32_t reached = 0;
  require(device_table().wait(self_, &context, &point, seconds, &reached));
  return reached != 0;
}

void DeviceUnderTest::know(const void* memory, std::uint64_t bytes) {
  if (mirror_) mirror_->know(memory, bytes);
}

void DeviceUnderTest::run(const convoy_submission& submission) {
  if (!mirror_) return run_there(submission);
  mirror_->run(submission, [this](const convoy_submission& there) { run_there(there); });
}

void DeviceUnderTest::run_there(convoy_submission submission) {
  submission.timeline = &timeline_;
  submission.value = ++value_;
  submit(submission);
  if (!wait(timeline_, value_)) throw std::runtime_error("the operation did not finish in time");
}

void* DeviceUnderTest::compile(const convoy_compilation& what) {
  convoy_context context{&error_, &log};
  void* program = nullptr;
  require(device_table().compile(self_, &context, &what, &program));
  return program;
}

std::vector<convoy_profile_record> DeviceUnderTest::profile(void* program) {
  std::vector<convoy_profile_record> records;
  std::uint64_t count = 0;
  do {
    records.resize(count);
    convoy_context context{&error_, &log};
    require(
        device_table().profile(self_, &context, program, records.data(), records.size(), &count));
  } while (count > records.size());
  return records;
}

std::vector<convoy_layout> DeviceUnderTest::propose_layout(const convoy_compilation& what) {
  convoy_context context{&error_, &log};
  std::vector<convoy_layout> layouts(what.graph->variable_count);
  require(device_table().propose_layout(self_, &context, &what, layouts.data()));
  return layouts;
}

convoy_submission operation(std::uint32_t kind, std::uint32_t lane) {
  convoy_submission submission{};
  submission.struct_size = sizeof submission;
  submission.kind = kind;
  submission.lane = lane;
  return submission;
}

std::vector<float> noise(std::size_t count, std::uint32_t seed) {
  std::vector<float> values(count);
  std::uint32_t state = seed * 2654435761u + 12345u;
  for (float& value : values) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    value = static_cast<float>(static_cast<double>(state) * 0x1p-31 - 1.0);
  }
  return values;
}

}  // namespace convoy::test
