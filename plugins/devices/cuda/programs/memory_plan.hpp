#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convoy::cuda {

// Places buffers with known lifetimes in one arena. Buffers that never live at the same time share
// memory. It only computes.
class MemoryPlan {
 public:
  using Id = std::size_t;

  Id add(std::uint64_t bytes);
  // The buffer is needed at this time; it lives from its first to its last use.
  void use(Id id, std::size_t time);
  // Decides all places. Do not call add() and use() afterwards.
  void place();

  std::uint64_t offset(Id id) const { return buffers_.at(id).offset; }
  std::uint64_t size(Id id) const { return buffers_.at(id).bytes; }
  std::uint64_t bytes() const { return bytes_; }  // size of the arena, once placed
  std::size_t count() const { return buffers_.size(); }

 private:
  struct Buffer {
    std::uint64_t bytes;
    std::size_t first;
    std::size_t last;
    std::uint64_t offset;
  };

  std::vector<Buffer> buffers_;
  std::uint64_t bytes_ = 0;
};

}  // namespace convoy::cuda
