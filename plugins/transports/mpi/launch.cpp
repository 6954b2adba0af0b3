#include "plugins/transports/mpi/launch.hpp"

#include <mpi.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <convoy/host_calls.hpp>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace convoy::mpi {
namespace {

// Longer than survivors take to notice the loss and end.
constexpr unsigned kFinalizeSeconds = 8;
constexpr double kSpinSeconds = 50e-6;
// A long wait uses little processor time. In the first 2 ms, sleeps are short, because answers of a
// fast fabric are due. After that, a sleep lasts half a per cent of the time waited, but at least
// 200 us and at most 2 ms.
constexpr double kSleepOfWaited = 0.005;
constexpr double kAnswersAreDue = 2e-3;
constexpr double kBriefSleep = 10e-6;
constexpr double kShortestSleep = 200e-6;
constexpr double kLongestSleep = 2e-3;

// The other processes may not arrive any more; the launcher then ends the rest of the job.
void finalize() {
  int done = 0;
  if (MPI_Finalized(&done) != MPI_SUCCESS || done != 0) return;
  ::alarm(kFinalizeSeconds);
  MPI_Finalize();
  ::alarm(0);
}

// The system may let a thread sleep longer than it asked, by default 50 us.
void sleep_precisely(double seconds) {
  static thread_local const int kSet = ::prctl(PR_SET_TIMERSLACK, 1000UL);  // nanoseconds
  static_cast<void>(kSet);
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace

std::string why_not_launched() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"})
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0') return {};
  return "no mpirun or srun has started this process (none of OMPI_COMM_WORLD_SIZE, PMIX_RANK and "
         "PMI_RANK is set); start it as: mpirun -np N convoy ...";
}

void require(int result, const char* what) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int bytes = 0;
  MPI_Error_string(result, text, &bytes);
  throw std::runtime_error(std::string(what) + ": " + text);
}

void start() {
  int started = 0;
  MPI_Initialized(&started);
  if (started != 0) return;
  if (const std::string reason = why_not_launched(); !reason.empty())
    throw std::runtime_error(reason);
  int provided = MPI_THREAD_SINGLE;
  require(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
  std::atexit(finalize);
  if (provided < MPI_THREAD_SERIALIZED)
    throw std::runtime_error("this MPI serves the main thread only (MPI_THREAD_SERIALIZED needed)");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

World world() {
  int rank = 0;
  int ranks = 0;
  require(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  require(MPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size");
  return {static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(ranks)};
}

// MPI refers to the memory of an exchange until all processes have arrived. If the exchange is
// given up, the memory is leaked.
void gather(std::span<const std::byte> mine, double seconds, std::byte* all) {
  const double until = Patience::now() + seconds;
  const std::size_t bytes = mine.size();
  auto memory = std::make_unique<std::vector<std::byte>>(bytes * (1 + world().ranks));
  std::ranges::copy(mine, memory->begin());
  std::byte* const gathered = memory->data() + bytes;
  const int count = static_cast<int>(bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Iallgather(memory->data(), count, MPI_BYTE, gathered, count, MPI_BYTE, MPI_COMM_WORLD,
                         &request),
          "MPI_Iallgather");
  Patience patience;
  for (int done = 0; done == 0; patience.wait(until)) {
    require(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) break;
    if (Patience::now() <= until) continue;
    static_cast<void>(memory.release());
    throw TimedOut("not all processes of the job have come" + within(seconds));
  }
  std::copy_n(gathered, bytes * world().ranks, all);
}

double Patience::now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Patience::wait(double until) {
  const double time = now();
  const double waited = time - idle_since_;
  if (waited < kSpinSeconds) return;
  const double sleep = waited < kAnswersAreDue
                           ? kBriefSleep
                           : std::clamp(kSleepOfWaited * waited, kShortestSleep, kLongestSleep);
  sleep_precisely(std::clamp(until - time, 0.0, sleep));
}

}  // namespace convoy::mpi
