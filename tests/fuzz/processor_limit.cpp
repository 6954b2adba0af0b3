// Ends the fuzzer when one input takes too much time of the processor, so that libFuzzer keeps it.
// Linked with --wrap=LLVMFuzzerTestOneInput: what libFuzzer calls is the function here.
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// The linker's names.
extern "C" int __real_LLVMFuzzerTestOneInput(  // NOLINT(bugprone-reserved-identifier)
    const std::uint8_t* data, std::size_t size);
extern "C" int __wrap_LLVMFuzzerTestOneInput(  // NOLINT(bugprone-reserved-identifier)
    const std::uint8_t* data, std::size_t size);

namespace {

constexpr itimerval kMost{{0, 0}, {10, 0}};  // seconds of this process

extern "C" void end_fuzzer(int) {
  constexpr std::string_view kText = "an input takes more than 10 seconds of the processor\n";
  static_cast<void>(::write(STDERR_FILENO, kText.data(), kText.size()) < 0);
  std::abort();  // which libFuzzer handles
}

}  // namespace

extern "C" int __wrap_LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto kBefore = std::signal(SIGPROF, end_fuzzer);
  static_cast<void>(kBefore);
  ::setitimer(ITIMER_PROF, &kMost, nullptr);
  return __real_LLVMFuzzerTestOneInput(data, size);
}
