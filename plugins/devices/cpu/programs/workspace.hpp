#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "plugins/devices/cpu/onednn.hpp"
#include "plugins/devices/cpu/zeroed_memory.hpp"

namespace convoy::cpu {

// Memory for activations, their gradients and temporaries of one program. A buffer lives from its
// first to its last use, in the order of the program's nodes forward and then backward; buffers
// whose lives do not overlap share memory. Memory objects get their addresses in allocate().
class Workspace {
 public:
  using Id = std::size_t;

  explicit Workspace(dnnl::engine engine) : engine_(std::move(engine)) {}

  Id add(std::size_t bytes);
  // Extends the life of a buffer to a time.
  void use(Id id, std::size_t time);
  // A memory object at the start of a buffer, without address until allocate().
  dnnl::memory memory(const Desc& desc, Id id);
  // The same memory with another description.
  dnnl::memory view(const dnnl::memory& memory, const Desc& desc);
  // A memory object in the scratchpad that all primitives of the program share.
  dnnl::memory scratchpad(const Desc& desc);
  void allocate();
  // The size of all buffers after allocate(), shared over time, and of the scratchpad.
  std::size_t bytes() const { return bytes_; }
  std::size_t scratchpad_bytes() const { return scratchpad_bytes_; }

 private:
  struct Buffer {
    std::size_t bytes;
    std::size_t first;
    std::size_t last;
    std::size_t offset;
  };

  dnnl::engine engine_;
  std::vector<Buffer> buffers_;
  std::vector<std::pair<dnnl::memory, Id>> memories_;
  std::vector<dnnl::memory> scratchpads_;
  std::size_t scratchpad_bytes_ = 0;
  std::size_t bytes_ = 0;
  Memory storage_;
};

}  // namespace convoy::cpu
