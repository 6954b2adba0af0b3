#include "tests/devices/cuda/emulated/emulation.hpp"

#include <ucontext.h>

#include <memory>
#include <mutex>
#include <vector>

namespace convoy::cuda::emulation {

Index thread_index, block_index;
dim3 block_size, grid_size;

namespace {

constexpr std::size_t kStackBytes = 32768;

// The threads of one block as coroutines: each runs until it meets the others or ends.
struct Coroutine {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(kStackBytes);
  Index index;
  bool ended = true;
};

ucontext_t scheduler;
Coroutine* current = nullptr;
const std::function<void()>* running_kernel = nullptr;

void enter() {
  (*running_kernel)();
  current->ended = true;
}

template <typename Use>
void for_each_index(dim3 size, Use&& use) {
  for (unsigned z = 0; z < size.z; ++z)
    for (unsigned y = 0; y < size.y; ++y)
      for (unsigned x = 0; x < size.x; ++x) use(Index{x, y, z});
}

void run_together(std::vector<std::unique_ptr<Coroutine>>& threads) {
  std::size_t next = 0;
  for_each_index(block_size, [&](Index index) {
    Coroutine& it = *threads[next++];
    it.index = index;
    it.ended = false;
    getcontext(&it.context);
    it.context.uc_stack.ss_sp = it.stack.data();
    it.context.uc_stack.ss_size = it.stack.size();
    it.context.uc_link = &scheduler;
    makecontext(&it.context, enter, 0);
  });
  for (bool open = true; open;) {
    open = false;
    for (const auto& thread : threads) {
      if (thread->ended) continue;  // so are those that the block does not have
      current = thread.get();
      thread_index = thread->index;
      swapcontext(&scheduler, &thread->context);
      open = open || !thread->ended;
    }
  }
}

}  // namespace

void meet() {
  Coroutine* self = current;
  swapcontext(&self->context, &scheduler);
}

void run(bool meets, dim3 grid, dim3 block, const std::function<void()>& kernel) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  grid_size = grid;
  block_size = block;
  running_kernel = &kernel;
  static std::vector<std::unique_ptr<Coroutine>> threads;
  while (meets && threads.size() < std::size_t{block.x} * block.y * block.z)
    threads.push_back(std::make_unique<Coroutine>());
  for_each_index(grid, [&](Index index) {
    block_index = index;
    if (meets) return run_together(threads);
    for_each_index(block, [&](Index thread) {
      thread_index = thread;
      kernel();
    });
  });
}

}  // namespace convoy::cuda::emulation
