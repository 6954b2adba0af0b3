#include "tests/devices/cuda/emulated/emulation.hpp"

#include <setjmp.h>
#include <ucontext.h>

#include <memory>
#include <mutex>
#include <vector>

namespace convoy::cuda::emulation {

Index thread_index, block_index;
dim3 block_size, grid_size;

namespace {

constexpr std::size_t kStackBytes = 32768;

// The threads of one block as coroutines: each runs until it meets the others or ends, and then
// waits for its part in the next block. They change with _setjmp and _longjmp: swapcontext asks the
// kernel for the signal mask every time, which took longer than the kernels' own work.
struct Coroutine {
  jmp_buf place;
  std::vector<char> stack = std::vector<char>(kStackBytes);
  Index index;
  bool ended = true;
};

jmp_buf scheduler;
Coroutine* current = nullptr;
const std::function<void()>* running_kernel = nullptr;

// A function of its own: it has no variable that could change between the two returns of _setjmp.
[[gnu::noinline]] void change(jmp_buf& from, jmp_buf& to) {
  if (_setjmp(from) == 0) _longjmp(to, 1);
}

// What a coroutine does for ever, one block after the other.
void take_parts() {
  Coroutine* const self = current;
  for (;;) {
    change(self->place, scheduler);
    (*running_kernel)();
    self->ended = true;
  }
}

[[gnu::noinline]] void enter(ucontext_t& context) {
  if (_setjmp(scheduler) == 0) setcontext(&context);
}

std::unique_ptr<Coroutine> make_coroutine() {
  auto made = std::make_unique<Coroutine>();
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = made->stack.data();
  context.uc_stack.ss_size = made->stack.size();
  context.uc_link = nullptr;
  makecontext(&context, take_parts, 0);
  current = made.get();
  enter(context);
  return made;
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
  });
  for (bool open = true; open;) {
    open = false;
    for (const auto& thread : threads) {
      if (thread->ended) continue;  // so are those that the block does not have
      current = thread.get();
      thread_index = thread->index;
      change(scheduler, thread->place);
      open = open || !thread->ended;
    }
  }
}

}  // namespace

void meet() {
  change(current->place, scheduler);
}

void run(bool meets, dim3 grid, dim3 block, const std::function<void()>& kernel) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  grid_size = grid;
  block_size = block;
  running_kernel = &kernel;
  static std::vector<std::unique_ptr<Coroutine>> threads;
  while (meets && threads.size() < std::size_t{block.x} * block.y * block.z)
    threads.push_back(make_coroutine());
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
