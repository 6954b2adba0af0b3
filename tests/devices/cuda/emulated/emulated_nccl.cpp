// NCCL for emulated GPUs, also of several processes of this machine. Collectives run in the order
// of the streams that they are called on, by a thread of their communicator. A lost process is not
// reported: its collectives hang until they are aborted. With CONVOY_EMULATED_NCCL=missing there is
// none, with CONVOY_EMULATED_NCCL=deaf it never finds other processes, and with
// CONVOY_EMULATED_NCCL=hung it finds them, but stays away from collectives with them once it has
// taken part in some.
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <stdexcept>

#include "plugins/devices/cuda/collectives/nccl_library.hpp"
#include "tests/devices/cuda/emulated/collective_room.hpp"
#include "tests/devices/cuda/emulated/emulated_streams.hpp"
#include "tests/devices/cuda/emulated/refusals.hpp"
#include "tests/devices/cuda/nccl_arithmetic.hpp"

namespace convoy::cuda::emulation {
namespace {

using fake_nccl::Call;

// More than a step of the tests has.
constexpr int kUntilHung = 5;

bool is_set_to(const char* value) {
  const char* given = std::getenv("CONVOY_EMULATED_NCCL");
  return given != nullptr && std::strcmp(given, value) == 0;
}

// A collective: the calls of this process's ranks, and what their streams wait for.
struct Collective {
  std::vector<Call> calls;
  std::atomic<std::size_t> arrived = 0;  // streams that have come so far
  std::shared_ptr<Mark> done = std::make_shared<Mark>();
};

// What streams tell of, which may come later than the end of their clique.
struct Collectives {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::shared_ptr<Collective>> open;
  bool ended = false;
};

// The ranks of one id in this process.
class Clique {
 public:
  Clique(std::string id, int size) : id_(std::move(id)), size_(size) {}
  ~Clique() {
    end();
    if (thread_.joinable()) thread_.join();
  }

  void add(int rank) { ranks_.push_back(rank); }
  void begin() {
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  }
  int number_of(int rank) const {
    return static_cast<int>(std::ranges::find(ranks_, rank) - ranks_.begin());
  }
  bool is_joined() const { return joined_; }

  // calls[i], streams[i]: of rank number i.
  void start(std::vector<Call> calls, const std::vector<cudaStream_t>& streams) {
    const auto it = std::make_shared<Collective>();
    it->calls = std::move(calls);
    {
      const std::lock_guard lock(all_->mutex);
      all_->open.push_back(it);
    }
    for (cudaStream_t stream : streams)
      hold(
          stream,
          [all = all_, it] {
            const std::lock_guard lock(all->mutex);
            ++it->arrived;
            all->changed.notify_all();
          },
          it->done);
  }

  // Whatever its streams wait for is given up.
  void end() {
    {
      const std::lock_guard lock(all_->mutex);
      all_->ended = true;
    }
    visit_.leave();
    all_->changed.notify_all();
  }

 private:
  bool is_alone() const { return static_cast<int>(ranks_.size()) == size_; }

  void work() {
    bool well = is_alone() || (!is_set_to("deaf") && visit_.enter(id_, size_, ranks_));
    joined_ = well;
    const bool hangs = !is_alone() && is_set_to("hung");
    for (int taken = 0; well && !(hangs && taken == kUntilHung); ++taken) {
      const std::shared_ptr<Collective> next = await_next();
      if (next == nullptr) break;
      well = run(*next);
      if (!well) break;
      {
        const std::lock_guard lock(all_->mutex);
        all_->open.pop_front();
      }
      release(*next->done);
    }
    give_up();
  }

  std::shared_ptr<Collective> await_next() {
    std::unique_lock lock(all_->mutex);
    const auto& open = all_->open;
    all_->changed.wait(lock, [&] {
      return all_->ended || (!open.empty() && open.front()->arrived == open.front()->calls.size());
    });
    return all_->ended ? nullptr : open.front();
  }

  bool run(const Collective& it) {
    if (is_alone()) return fake_nccl::run(it.calls).empty();
    return visit_.take_part(it.calls);
  }

  // Hangs until the end.
  void give_up() {
    std::deque<std::shared_ptr<Collective>> open;
    {
      std::unique_lock lock(all_->mutex);
      all_->changed.wait(lock, [this] { return all_->ended; });
      open.swap(all_->open);
    }
    for (const auto& it : open) release(*it->done);
  }

  std::string id_;
  int size_;
  std::vector<int> ranks_;
  RoomVisit visit_;
  std::atomic<bool> joined_ = false;
  const std::shared_ptr<Collectives> all_ = std::make_shared<Collectives>();
  std::thread thread_;
};

}  // namespace
}  // namespace convoy::cuda::emulation

namespace {

using convoy::cuda::emulation::Clique;
using convoy::cuda::emulation::CollectiveRoom;
using convoy::cuda::emulation::start_ranks_of_several_gpus;
using convoy::cuda::fake_nccl::Call;

// What a rank was told in a group, in the order of its calls.
struct Told {
  Call call;
  cudaStream_t stream;
};

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): NCCL's name.
struct ncclComm {
  int rank;
  std::string id;
  std::shared_ptr<Clique> clique;
};

namespace {

std::mutex mutex;
std::map<std::string, std::shared_ptr<Clique>> cliques;
std::map<std::string, std::unique_ptr<CollectiveRoom>> rooms;  // of ids made here
thread_local int depth = 0;
thread_local std::vector<std::shared_ptr<Clique>> joining;
thread_local std::map<ncclComm_t, std::vector<Told>> told;

std::string text_of(const ncclUniqueId& id) {
  return id.internal;
}

ncclResult_t version(int* code) {
  *code = NCCL_VERSION_CODE;
  return ncclSuccess;
}
const char* error_string(ncclResult_t) {
  return "emulated";
}
const char* last_error(ncclComm_t) {
  return "";
}
ncclResult_t unique_id(ncclUniqueId* id) {
  static int next = 0;
  const std::lock_guard lock(mutex);
  const std::string name =
      "convoy-emulated-nccl-" + std::to_string(getpid()) + "-" + std::to_string(++next);
  std::memset(id->internal, 0, sizeof id->internal);
  name.copy(id->internal, sizeof id->internal - 1);
  rooms[name] = std::make_unique<CollectiveRoom>(name);
  return ncclSuccess;
}
ncclResult_t init_rank(ncclComm_t* comm, int size, ncclUniqueId id, int rank, ncclConfig_t*) {
  const std::lock_guard lock(mutex);
  const std::string name = text_of(id);
  std::shared_ptr<Clique>& clique = cliques[name];
  if (clique == nullptr) clique = std::make_shared<Clique>(name, size);
  clique->add(rank);
  joining.push_back(clique);
  *comm = new ncclComm{rank, name, clique};
  return ncclInProgress;
}
ncclResult_t finalize(ncclComm_t) {
  return ncclInProgress;
}
// The last rank of this process takes clique and room with it.
ncclResult_t destroy(ncclComm_t comm) {
  std::shared_ptr<Clique> clique;
  std::unique_ptr<CollectiveRoom> room;
  {
    const std::lock_guard lock(mutex);
    clique = std::move(comm->clique);
    const auto of_all = cliques.find(comm->id);
    if (clique.use_count() == 2 && of_all != cliques.end()) {
      cliques.erase(of_all);
      if (const auto found = rooms.find(comm->id); found != rooms.end()) {
        room = std::move(found->second);
        rooms.erase(found);
      }
    }
  }
  delete comm;
  return ncclSuccess;
}
ncclResult_t abort_rank(ncclComm_t comm) {
  comm->clique->end();
  return destroy(comm);
}
ncclResult_t async_error(ncclComm_t comm, ncclResult_t* state) {
  *state = comm->clique->is_joined() ? ncclSuccess : ncclInProgress;
  return ncclSuccess;
}
ncclResult_t group_start() {
  ++depth;
  return ncclSuccess;
}

// Of all ranks of this process, call after call.
void start_told() {
  std::map<Clique*, std::map<int, ncclComm_t>> ranks;
  for (const auto& [comm, calls] : told)
    ranks[comm->clique.get()][comm->clique->number_of(comm->rank)] = comm;
  for (const auto& [clique, comms] : ranks)
    for (std::size_t i = 0; i < told[comms.begin()->second].size(); ++i) {
      std::vector<Call> calls;
      std::vector<cudaStream_t> streams;
      for (const auto& [number, comm] : comms) {
        calls.push_back(told[comm].at(i).call);
        streams.push_back(told[comm].at(i).stream);
      }
      if (streams.size() > 1) start_ranks_of_several_gpus();
      clique->start(std::move(calls), streams);
    }
  told.clear();
}

ncclResult_t group_end() {
  if (--depth > 0) return ncclSuccess;
  for (const auto& clique : joining) clique->begin();
  joining.clear();
  start_told();
  return ncclInProgress;
}
ncclResult_t tell(ncclComm_t comm, cudaStream_t stream, Call call) {
  told[comm].push_back({std::move(call), stream});
  return ncclInProgress;
}
ncclResult_t all_reduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t reduction, ncclComm_t comm, cudaStream_t stream) {
  return tell(comm, stream,
              {"all_reduce", static_cast<const char*>(send), static_cast<char*>(receive), count,
               type, reduction, -1});
}
ncclResult_t reduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                    ncclRedOp_t reduction, int root, ncclComm_t comm, cudaStream_t stream) {
  return tell(comm, stream,
              {"reduce", static_cast<const char*>(send), static_cast<char*>(receive), count, type,
               reduction, root});
}
ncclResult_t broadcast(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                       int root, ncclComm_t comm, cudaStream_t stream) {
  return tell(comm, stream,
              {"broadcast", static_cast<const char*>(send), static_cast<char*>(receive), count,
               type, ncclSum, root});
}
ncclResult_t reduce_scatter(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                            ncclRedOp_t reduction, ncclComm_t comm, cudaStream_t stream) {
  return tell(comm, stream,
              {"reduce_scatter", static_cast<const char*>(send), static_cast<char*>(receive), count,
               type, reduction, -1});
}
ncclResult_t all_gather(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                        ncclComm_t comm, cudaStream_t stream) {
  return tell(comm, stream,
              {"all_gather", static_cast<const char*>(send), static_cast<char*>(receive), count,
               type, ncclSum, -1});
}

}  // namespace

namespace convoy::cuda {

const NcclFunctions& nccl() {
  static const NcclFunctions kTable{version,     error_string, last_error,     unique_id,
                                    init_rank,   finalize,     destroy,        abort_rank,
                                    async_error, group_start,  group_end,      all_reduce,
                                    reduce,      broadcast,    reduce_scatter, all_gather};
  if (emulation::is_set_to("missing")) throw std::runtime_error("there is no NCCL");
  return kTable;
}

}  // namespace convoy::cuda
