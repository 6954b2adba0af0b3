// What every CUDA kernel takes of a GPU - registers, shared memory, memory of its own - as the
// compiler lists it, beside what is recorded in kernel_resources.txt: a change that would cost
// occupancy is seen without a GPU. After an intended one: CONVOY_WRITE_KERNEL_RESOURCES=1 writes
// the record anew, for the architectures of the build (-DCONVOY_CUDA_ARCHITECTURES), or of the
// listings in the folder that CONVOY_KERNEL_LISTINGS names.
#include <cxxabi.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "tests/support/pattern.hpp"

namespace convoy::kernel_resources_test {
namespace {

using Resources = std::map<std::string, std::string>;  // by "sm_80 kernel"

std::string environment(const char* name, const char* otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : text;
}

// Names of unnamed namespaces have a hash of the file's path in them; the demangler leaves it out.
std::string readable(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : symbol;
}

// ptxas writes three lines of every kernel and architecture.
void read_listing(const std::filesystem::path& file, Resources& all) {
  static const Pattern kKernel("Compiling entry function '([^']+)' for '([^']+)'");
  static const Pattern kStack(
      "([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads");
  static const Pattern kRegisters("Used ([0-9]+) registers");
  static const Pattern kShared("([0-9]+) bytes smem");
  std::ifstream stream(file);
  std::string key;
  std::string stack;
  for (std::string line; std::getline(stream, line);) {
    if (const auto kernel = kKernel.first_in(line); !kernel.empty()) {
      key = kernel[2] + " " + readable(kernel[1]);
    } else if (const auto bytes = kStack.first_in(line); !bytes.empty()) {
      stack = fmt::format("stack {} spilled {} reloaded {}", bytes[1], bytes[2], bytes[3]);
    } else if (const auto registers = kRegisters.first_in(line); !registers.empty()) {
      const auto shared = kShared.first_in(line);
      all[key] = fmt::format("registers {} shared {} {}", registers[1],
                             shared.empty() ? "0" : shared[1], stack);
    }
  }
}

Resources built_resources() {
  Resources all;
  const std::filesystem::path folder =
      environment("CONVOY_KERNEL_LISTINGS", CONVOY_KERNEL_LISTINGS);
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".ptxas") read_listing(entry.path(), all);
  return all;
}

struct Record {
  std::string nvcc;
  Resources kernels;
};

Record read_record() {
  std::ifstream stream(CONVOY_KERNEL_RESOURCES);
  Record record;
  std::getline(stream, record.nvcc);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t bar = line.find(" | ");
    record.kernels[line.substr(bar + 3)] = line.substr(0, bar);
  }
  return record;
}

void write_record(const Resources& kernels) {
  std::ofstream stream(CONVOY_KERNEL_RESOURCES);
  stream << "nvcc " << CONVOY_NVCC_VERSION << '\n';
  for (const auto& [kernel, resources] : kernels) stream << resources << " | " << kernel << '\n';
}

std::string architecture(const std::string& key) {
  return key.substr(0, key.find(' '));
}

// Empty, or why this build says nothing about the record.
std::string other_compiler(const Record& record) {
  if (record.nvcc == std::string("nvcc ") + CONVOY_NVCC_VERSION) return {};
  return "recorded with " + record.nvcc +
         " and built with nvcc " CONVOY_NVCC_VERSION ", which may place registers otherwise";
}

TEST(KernelResources, AreThoseOnRecord) {
  const Resources built = built_resources();
  ASSERT_FALSE(built.empty()) << "nothing is listed in " << CONVOY_KERNEL_LISTINGS;
  if (std::getenv("CONVOY_WRITE_KERNEL_RESOURCES") != nullptr) write_record(built);
  const Record record = read_record();
  if (const std::string reason = other_compiler(record); !reason.empty()) GTEST_SKIP() << reason;
  std::map<std::string, std::size_t> compared;
  for (const auto& [kernel, resources] : record.kernels) compared[architecture(kernel)] = 0;
  for (const auto& [kernel, resources] : built) {
    const auto arch = compared.find(architecture(kernel));
    if (arch == compared.end()) continue;
    ++arch->second;
    const auto known = record.kernels.find(kernel);
    EXPECT_EQ(known == record.kernels.end() ? "not on record" : known->second, resources) << kernel;
  }
  std::map<std::string, std::size_t> recorded;
  for (const auto& [kernel, resources] : record.kernels) ++recorded[architecture(kernel)];
  std::size_t all = 0;
  for (const auto& [arch, count] : compared) {
    all += count;
    EXPECT_TRUE(count == 0 || count == recorded[arch]) << "kernels of " << arch << " are gone";
  }
  if (all == 0) GTEST_SKIP() << "built for none of the architectures on record";
}

// No kernel keeps registers in memory: that is an error of the build, too.
TEST(KernelResources, HaveNoSpills) {
  if (const std::string reason = other_compiler(read_record()); !reason.empty())
    GTEST_SKIP() << reason;
  for (const auto& [kernel, resources] : built_resources())
    EXPECT_NE(resources.find("spilled 0 reloaded 0"), std::string::npos)
        << kernel << ": " << resources;
}

}  // namespace
}  // namespace convoy::kernel_resources_test
