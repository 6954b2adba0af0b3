#include "tests/devices/cuda/emulated/emulation.hpp"

#include <setjmp.h>
#include <ucontext.h>

#include <cstdint>
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

std::uint64_t count_of(dim3 size) {
  return std::uint64_t{size.x} * size.y * size.z;
}

Index index_of(std::uint64_t number, dim3 size) {
  if (size.y == 1 && size.z == 1) return {static_cast<unsigned>(number), 0, 0};
  return {static_cast<unsigned>(number % size.x), static_cast<unsigned>(number / size.x % size.y),
          static_cast<unsigned>(number / size.x / size.y)};
}

template <typename Use>
void for_each_number(std::uint64_t count, bool ascending, Use&& use) {
  for (std::uint64_t i = 0; i < count; ++i) use(ascending ? i : count - 1 - i);
}

void run_together(std::vector<std::unique_ptr<Coroutine>>& threads, bool ascending) {
  const std::uint64_t count = count_of(block_size);
  for (std::uint64_t i = 0; i < count; ++i) {
    threads[i]->index = index_of(i, block_size);
    threads[i]->ended = false;
  }
  for (bool open = true; open; ascending = !ascending) {
    open = false;
    for_each_number(count, ascending, [&](std::uint64_t i) {
      Coroutine& thread = *threads[i];
      if (thread.ended) return;
      current = &thread;
      thread_index = thread.index;
      change(scheduler, thread.place);
      open = open || !thread.ended;
    });
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
  while (meets && threads.size() < count_of(block)) threads.push_back(make_coroutine());
  static bool ascending = false;
  ascending = !ascending;
  for_each_number(count_of(grid), ascending, [&](std::uint64_t number) {
    block_index = index_of(number, grid);
    if (meets) return run_together(threads, number % 2 == 0);
    for_each_number(count_of(block), ascending, [&](std::uint64_t thread) {
      thread_index = index_of(thread, block);
      kernel();
    });
  });
}

}  // namespace convoy::cuda::emulation
