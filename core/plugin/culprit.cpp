#include "core/plugin/culprit.hpp"

#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

#include "core/base/process/interval_timer.hpp"
#include "core/base/process/last_words.hpp"
#include "core/plugin/child_call.hpp"

namespace convoy::plugin {
namespace {

constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// The memory range of a plug-in's file, and the plug-in's label.
struct Suspect {
  std::uintptr_t begin = 0, end = 0;
  std::array<char, 512> label{};
};

// A signal handler can reach nothing but globals.
std::array<Suspect, 64> suspects;
std::atomic<std::size_t> suspect_count = 0;
double ending_patience = 0;  // seconds
pthread_t ending_thread;
const Suspect* seen_while_ending = nullptr;

// The innermost plug-in whose code the calling thread is in; null: none.
const Suspect* innermost_suspect() {
  std::array<void*, 128> frames{};
  const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  const std::span known(suspects.data(), suspect_count.load());
  for (const void* const frame : std::span(frames.data(), static_cast<std::size_t>(count))) {
    const auto address = reinterpret_cast<std::uintptr_t>(frame);
    const auto found = std::ranges::find_if(
        known, [address](const Suspect& it) { return address >= it.begin && address < it.end; });
    if (found != known.end()) return &*found;
  }
  return nullptr;
}

[[noreturn]] void end_naming(const Suspect& culprit, const char* what, const char* detail) {
  for (const char* const text : {"\nconvoy: error: ", culprit.label.data(), what, detail,
                                 "; fix it, or remove it from the plug-in path\n"})
    say_at_once(text);
  ::_exit(static_cast<int>(ExitCode::kUnavailable));
}

extern "C" void name_who_crashes(int number) {
  std::signal(number, SIG_DFL);
  if (!is_child_call())
    if (const Suspect* const culprit = innermost_suspect())
      end_naming(*culprit, ": it crashed: ", ::sigdescr_np(number));
  std::raise(number);  // ends the process when this handler returns
}

// The handler of a signal that comes at intervals of the patience. A plug-in that runs at two of
// them in a row has used up its patience, however long other code took before.
extern "C" void name_who_keeps_it(int number) {
  if (::pthread_equal(::pthread_self(), ending_thread) == 0) {
    ::pthread_kill(ending_thread, number);
    return;
  }
  const int error = errno;
  const Suspect* const culprit = innermost_suspect();
  if (culprit != nullptr && culprit == seen_while_ending)
    end_naming(*culprit, ": it prevents the process from ending", "");
  seen_while_ending = culprit;
  errno = error;
}

extern "C" void name_who_exits() {
  if (is_child_call()) return;
  const Suspect* const culprit = innermost_suspect();
  if (culprit == nullptr) return watch_ending();
  std::fflush(nullptr);
  end_naming(*culprit, ": it ended the process", "");
}

void handle_crashes_and_exits() {
  std::array<void*, 1> frame{};
  ::backtrace(frame.data(), 1);  // loads what it needs, which a handler could not
  for (const int number : kCrashes) {
    if (has_no_handler(number)) std::signal(number, name_who_crashes);
  }
  std::atexit(name_who_exits);
}

struct Search {
  const std::string& file;
  Suspect& found;
};

// The callback of dl_iterate_phdr(). It ends the iteration when the file is found.
int note_if_it_is(dl_phdr_info* info, std::size_t, void* data) {
  const auto& search = *static_cast<Search*>(data);
  if (search.file != info->dlpi_name) return 0;
  search.found.begin = UINTPTR_MAX;
  for (const auto& header : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    if (header.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    search.found.begin = std::min(search.found.begin, begin);
    search.found.end = std::max(search.found.end, begin + header.p_memsz);
  }
  return 1;
}

}  // namespace

void name_when_it_harms(const std::string& label, const std::filesystem::path& file,
                        double patience) {
  const std::size_t count = suspect_count.load();
  if (count == suspects.size()) return;
  Suspect& suspect = suspects[count];
  const std::string name = file.string();
  Search search{name, suspect};
  if (::dl_iterate_phdr(note_if_it_is, &search) == 0) return;
  label.copy(suspect.label.data(), suspect.label.size() - 1);
  ending_patience = patience;
  suspect_count = count + 1;
  if (count == 0) handle_crashes_and_exits();
}

void watch_ending() {
  if (suspect_count == 0 || ending_patience <= 0 || !has_no_handler(SIGALRM)) return;
  ending_thread = ::pthread_self();
  std::signal(SIGALRM, name_who_keeps_it);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGALRM);
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  alarm_every(std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::duration<double>(ending_patience)));
}

void end_with(const Error& error) {
  std::fflush(nullptr);
  for (const char* const text : {"\nconvoy: error: ", error.what(), "\n"}) say_at_once(text);
  ::_exit(static_cast<int>(error.code()));
}

}  // namespace convoy::plugin
