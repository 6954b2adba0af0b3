#include "plugins/devices/cuda/lanes/event_ledger.hpp"

#include <algorithm>
#include <atomic>

namespace convoy::cuda {
namespace {

// Far more than the waits of the steps that patterns are learned from.
constexpr std::size_t kMostAwaited = 65536;

}  // namespace

bool holds(const convoy_wait& point) {
  auto* value = const_cast<std::uint64_t*>(point.timeline);  // atomic_ref takes no const
  return std::atomic_ref<std::uint64_t>(*value).load(std::memory_order_acquire) >= point.value;
}

void reach(std::uint64_t* timeline, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(*timeline).store(value, std::memory_order_seq_cst);
  timeline_listeners().tell(timeline, value);
}

TimelineListeners& timeline_listeners() {
  static TimelineListeners listeners;
  return listeners;
}

const std::shared_ptr<EventLedger>& shared_ledger() {
  static const auto kLedger = std::make_shared<EventLedger>();
  return kLedger;
}

void EventLedger::add(const std::uint64_t* timeline, std::uint64_t value, Event event) {
  const std::lock_guard lock(mutex_);
  std::vector<Entry>& entries = entries_[timeline];
  const auto after = std::upper_bound(entries.begin(), entries.end(), value,
                                      [](std::uint64_t v, const Entry& e) { return v < e.value; });
  entries.insert(after, {value, event});
  ++epoch_;
  changed_.notify_all();
}

void EventLedger::remove(const std::uint64_t* timeline, std::uint64_t value) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(timeline);
  if (found != entries_.end()) {
    std::erase_if(found->second, [value](const Entry& entry) { return entry.value == value; });
    if (found->second.empty()) entries_.erase(found);
  }
  ++epoch_;
  changed_.notify_all();
}

const EventLedger::Entry* EventLedger::find(const convoy_wait& point) const {
  const auto found = entries_.find(point.timeline);
  if (found == entries_.end()) return nullptr;
  const auto entry = std::find_if(found->second.begin(), found->second.end(),
                                  [&](const Entry& it) { return it.value >= point.value; });
  return entry == found->second.end() ? nullptr : &*entry;
}

// Holds the lock, so that the event cannot be given back and recorded again meanwhile.
EventLedger::Answer EventLedger::wait(const convoy_wait& point,
                                      const std::function<void(Event)>& wait_for) {
  const std::lock_guard lock(mutex_);
  if (holds(point)) return Answer::kReached;
  const Entry* entry = find(point);
  if (entry == nullptr) return Answer::kUnknown;
  wait_for(entry->event);
  return Answer::kWaited;
}

bool EventLedger::knows(const convoy_wait& point) {
  if (holds(point)) return true;
  const std::lock_guard lock(mutex_);
  return find(point) != nullptr || holds(point);
}

void EventLedger::note_awaited(const convoy_wait& point, const void* device) {
  const std::lock_guard lock(mutex_);
  if (awaited_.size() >= kMostAwaited) awaited_.clear();
  std::vector<const void*>& devices = awaited_[{point.timeline, point.value}];
  if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
}

bool EventLedger::is_awaited(const convoy_wait& point) {
  return is_awaited_elsewhere(point, nullptr);
}

bool EventLedger::is_awaited_elsewhere(const convoy_wait& point, const void* device) {
  const std::lock_guard lock(mutex_);
  const auto found = awaited_.find({point.timeline, point.value});
  return found != awaited_.end() && std::any_of(found->second.begin(), found->second.end(),
                                                [device](const void* it) { return it != device; });
}

std::uint64_t EventLedger::epoch() {
  const std::lock_guard lock(mutex_);
  return epoch_;
}

void EventLedger::ring() {
  const std::lock_guard lock(mutex_);
  ++epoch_;
  changed_.notify_all();
}

void EventLedger::sleep(std::uint64_t epoch, std::chrono::microseconds longest) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, longest, [&] { return epoch_ != epoch; });
}

}  // namespace convoy::cuda
