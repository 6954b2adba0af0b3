#include "plugins/devices/cuda/programs/input_buffers.hpp"

#include <utility>

namespace convoy::cuda {

InputBuffers::InputBuffers(StreamDriver& streams, std::array<void*, 2> memory) : streams_(streams) {
  for (std::size_t i = 0; i < memory.size(); ++i) buffers_[i].memory = memory[i];
}

InputBuffers::~InputBuffers() {
  for (const Buffer& buffer : buffers_)
    if (buffer.read != nullptr) streams_.give_back(buffer.read);
}

// Events can be reused once streams were told to wait for them: a wait refers to the recording at
// that time.
const void* InputBuffers::bring(const Copy& copy, std::uint32_t lane) {
  now_ = (now_ + 1) % buffers_.size();
  Buffer& buffer = buffers_[now_];
  if (buffer.read != nullptr) {
    streams_.wait(kInputStream, buffer.read);
    streams_.give_back(std::exchange(buffer.read, nullptr));
  }
  copy(buffer.memory);
  const StreamDriver::Event copied = streams_.record(kInputStream);
  streams_.wait(lane, copied);
  streams_.give_back(copied);
  return buffer.memory;
}

void InputBuffers::release(std::uint32_t lane) {
  buffers_[now_].read = streams_.record(lane);
}

}  // namespace convoy::cuda
