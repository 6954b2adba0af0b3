#include "plugins/devices/cuda/collectives/rank_calls.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "plugins/devices/cuda/operations/operation_check.hpp"
#include "plugins/devices/shared/operation_rules.hpp"

namespace convoy::cuda {
namespace {

constexpr std::uint32_t kNoRank = CONVOY_NONE;

const char* name_of(std::uint32_t kind) {
  switch (kind) {
    case CONVOY_OP_ALL_REDUCE:
      return "all_reduce";
    case CONVOY_OP_REDUCE_SCATTER:
      return "reduce_scatter";
    case CONVOY_OP_ALL_GATHER:
      return "all_gather";
    case CONVOY_OP_BROADCAST:
      return "broadcast";
    default:
      return "reduce";
  }
}

const convoy_region* find_region(const convoy_region* regions, std::uint64_t count,
                                 const std::vector<std::uint32_t>& ranks, std::uint32_t rank) {
  const auto found = std::find(ranks.begin(), ranks.end(), rank);
  const auto index = static_cast<std::uint64_t>(found - ranks.begin());
  return index < count ? regions + index : nullptr;
}

// The spans of a collective by rank.
class Collective {
 public:
  Collective(const convoy_submission& operation,
             const std::function<int(const convoy_region&)>& gpu_of)
      : it_(operation) {
    if (it_.ranks == nullptr)
      rank_by_gpu(gpu_of);
    else
      take_ranks(gpu_of);
    result_.dtype = it_.writes[0].dtype;
    result_.reduction = it_.reduction;
  }

  RankCalls calls() {
    switch (it_.kind) {
      case CONVOY_OP_ALL_REDUCE:
        require(everybody_reads() && everybody_writes());
        for_each_rank([&](std::uint32_t rank) {
          add(CONVOY_OP_ALL_REDUCE, rank, read(rank)->data, write(rank)->data, it_.writes[0].count);
        });
        break;
      case CONVOY_OP_REDUCE:
        require(everybody_reads());
        reduce_to(it_.writes[0], write_ranks_[0], 0);
        break;
      case CONVOY_OP_BROADCAST:
        broadcast_from(it_.reads[0], read_ranks_[0], 0);
        break;
      case CONVOY_OP_REDUCE_SCATTER:
        require(everybody_reads() && everybody_writes());
        scatter();
        break;
      default:
        require(everybody_reads() && everybody_writes());
        gather();
        break;
    }
    return std::move(result_);
  }

 private:
  void rank_by_gpu(const std::function<int(const convoy_region&)>& gpu_of) {
    std::vector<int> readers, writers;
    for (std::uint64_t i = 0; i < it_.read_count; ++i) readers.push_back(gpu_of(it_.reads[i]));
    for (std::uint64_t i = 0; i < it_.write_count; ++i) writers.push_back(gpu_of(it_.writes[i]));
    result_.gpus = readers;
    result_.gpus.insert(result_.gpus.end(), writers.begin(), writers.end());
    std::sort(result_.gpus.begin(), result_.gpus.end());
    result_.gpus.erase(std::unique(result_.gpus.begin(), result_.gpus.end()), result_.gpus.end());
    read_ranks_ = ranks_of(readers);
    write_ranks_ = ranks_of(writers);
    size_ = static_cast<std::uint32_t>(result_.gpus.size());
    for (std::uint32_t rank = 0; rank < size_; ++rank) here_.push_back(rank);
  }

  // Every rank has a span; spans of this process have memory.
  void take_ranks(const std::function<int(const convoy_region&)>& gpu_of) {
    std::set<std::uint32_t> all;
    std::map<std::uint32_t, int> here;
    const auto take = [&](const convoy_region& region, std::uint32_t rank) {
      all.insert(rank);
      if (region.data != nullptr) here[rank] = gpu_of(region);
    };
    for (std::uint64_t i = 0; i < it_.read_count; ++i) take(it_.reads[i], it_.ranks[i]);
    const std::uint32_t* const written = it_.ranks + it_.read_count;
    for (std::uint64_t i = 0; i < it_.write_count; ++i) take(it_.writes[i], written[i]);
    read_ranks_.assign(it_.ranks, written);
    write_ranks_.assign(written, written + it_.write_count);
    size_ = static_cast<std::uint32_t>(all.size());
    for (const auto& [rank, gpu] : here) {
      here_.push_back(rank);
      result_.gpus.push_back(gpu);
    }
  }

  std::vector<std::uint32_t> ranks_of(const std::vector<int>& gpus) const {
    std::vector<std::uint32_t> ranks;
    for (const int gpu : gpus) {
      const auto at = std::lower_bound(result_.gpus.begin(), result_.gpus.end(), gpu);
      const auto rank = static_cast<std::uint32_t>(at - result_.gpus.begin());
      if (std::find(ranks.begin(), ranks.end(), rank) != ranks.end())
        throw std::invalid_argument(collective_text(it_) + " has two spans on GPU " +
                                    std::to_string(gpu) + ": NCCL takes each GPU once");
      ranks.push_back(rank);
    }
    return ranks;
  }

  std::uint32_t size() const { return size_; }
  bool everybody_reads() const { return read_ranks_.size() == size(); }
  bool everybody_writes() const { return write_ranks_.size() == size(); }
  void require(bool complete) const {
    if (!complete)
      throw std::invalid_argument(collective_text(it_) +
                                  " leaves out a GPU that would have to contribute or receive");
  }
  const convoy_region* read(std::uint32_t rank) const {
    return find_region(it_.reads, it_.read_count, read_ranks_, rank);
  }
  const convoy_region* write(std::uint32_t rank) const {
    return find_region(it_.writes, it_.write_count, write_ranks_, rank);
  }
  char* at(const convoy_region& region, std::uint64_t first) const {
    return static_cast<char*>(region.data) + first * element_bytes(region.dtype);
  }

  template <typename Use>
  void for_each_rank(Use&& use) const {
    for (const std::uint32_t rank : here_) use(rank);
  }
  void add(std::uint32_t kind, std::uint32_t rank, const void* send, void* receive,
           std::uint64_t count, std::uint32_t root = kNoRank) {
    const auto number = std::lower_bound(here_.begin(), here_.end(), rank) - here_.begin();
    result_.calls.push_back({kind, static_cast<std::uint32_t>(number), send, receive, count, root});
  }

  // Reduces the elements of every read from `first` on to `piece`, on the root.
  void reduce_to(const convoy_region& piece, std::uint32_t root, std::uint64_t first) {
    for_each_rank([&](std::uint32_t rank) {
      add(CONVOY_OP_REDUCE, rank, at(*read(rank), first), rank == root ? piece.data : nullptr,
          piece.count, root);
    });
  }

  // A rank that does not write receives to the memory it sends from, which changes nothing.
  void broadcast_from(const convoy_region& piece, std::uint32_t root, std::uint64_t first) {
    for_each_rank([&](std::uint32_t rank) {
      const convoy_region* to = write(rank);
      void* receive = to == nullptr ? piece.data : at(*to, first);
      add(CONVOY_OP_BROADCAST, rank, rank == root ? piece.data : receive, receive, piece.count,
          root);
    });
  }

  // Whether piece i belongs to rank i and all pieces have equal size, as the library's own
  // functions require.
  bool is_regular(const convoy_region* pieces, const std::vector<std::uint32_t>& ranks) const {
    for (std::uint32_t i = 0; i < size(); ++i)
      if (ranks[i] != i || pieces[i].count != pieces[0].count) return false;
    return true;
  }

  void scatter() {
    if (is_regular(it_.writes, write_ranks_))
      return for_each_rank([&](std::uint32_t rank) {
        add(CONVOY_OP_REDUCE_SCATTER, rank, read(rank)->data, write(rank)->data,
            it_.writes[0].count);
      });
    std::uint64_t first = 0;
    for (std::uint64_t i = 0; i < it_.write_count; ++i) {
      reduce_to(it_.writes[i], write_ranks_[i], first);
      first += it_.writes[i].count;
    }
  }

  void gather() {
    if (is_regular(it_.reads, read_ranks_))
      return for_each_rank([&](std::uint32_t rank) {
        add(CONVOY_OP_ALL_GATHER, rank, read(rank)->data, write(rank)->data, it_.reads[0].count);
      });
    std::uint64_t first = 0;
    for (std::uint64_t i = 0; i < it_.read_count; ++i) {
      broadcast_from(it_.reads[i], read_ranks_[i], first);
      first += it_.reads[i].count;
    }
  }

  const convoy_submission& it_;
  RankCalls result_;
  std::uint32_t size_ = 0;                  // ranks of the whole collective
  std::vector<std::uint32_t> here_;         // ranks of this process, ascending
  std::vector<std::uint32_t> read_ranks_;   // of every read
  std::vector<std::uint32_t> write_ranks_;  // of every write
};

}  // namespace

bool is_collective(std::uint32_t kind) {
  return kind >= CONVOY_OP_ALL_REDUCE && kind <= CONVOY_OP_REDUCE;
}

std::string collective_text(const convoy_submission& operation) {
  std::uint64_t elements = 0;
  for (std::uint64_t i = 0; i < operation.write_count; ++i)
    elements = std::max(elements, operation.writes[i].count);
  return "operation " + std::to_string(operation.operation) + " (" + name_of(operation.kind) +
         " of " + std::to_string(elements) + " elements, step " + std::to_string(operation.step) +
         ")";
}

RankCalls make_rank_calls(const convoy_submission& operation,
                          const std::function<int(const convoy_region&)>& gpu_of) {
  require_regions(operation);
  if (operation.read_count == 0 || operation.write_count == 0)
    throw std::invalid_argument("a collective came without spans");
  return Collective(operation, gpu_of).calls();
}

}  // namespace convoy::cuda
