#include "plugins/devices/cuda/graphs/step_patterns.hpp"

#include <algorithm>
#include <utility>

namespace convoy::cuda {
namespace {

constexpr std::size_t kNoRun = static_cast<std::size_t>(-1);
constexpr int kTimesToLearn = 2;
// Enough for several phases, an evaluation and plans that were tried. More of them come only from
// sessions that ended.
constexpr std::size_t kMostPatterns = 64;
// A timeline that no operation used for this many steps may be another session's memory by now.
constexpr std::uint64_t kOwnSteps = 4;

// Whether it may be the same operation as before. The memory of an earlier session may be reused.
template <typename Seen>
bool is_like(const Seen& before, const convoy_submission& now) {
  return before.operation == &now && before.kind == now.kind && before.lane == now.lane &&
         before.reaches.timeline == now.timeline && before.waits.size() == now.wait_count;
}

bool is_layers(std::uint32_t kind) {
  return kind == CONVOY_OP_FORWARD || kind == CONVOY_OP_BACKWARD;
}

}  // namespace

StepPatterns::StepPatterns(std::shared_ptr<EventLedger> ledger, const void* device, Takes takes)
    : ledger_(std::move(ledger)), device_(device), takes_(std::move(takes)) {}

std::shared_ptr<OperationRun> StepPatterns::submitted(const convoy_submission& operation) {
  if (begins_step(operation)) begin(operation);
  if (operation.kind == CONVOY_OP_APPLY)
    updates_.insert(operation.operation);
  else
    step_ = operation.step;
  const std::size_t place = count_++;
  own_[operation.timeline] = steps_;
  if (expected_ != nullptr) {
    if (!is_like(expected_->first[place], operation)) {
      forget();
      return nullptr;
    }
    const std::size_t run = expected_->run_of[place];
    if (run == kNoRun) return nullptr;
    if (runs_[run] == nullptr)
      runs_[run] = std::make_shared<OperationRun>(expected_->run_size[run]);
    runs_[run]->add(operation);
    return runs_[run];
  }
  if (place == seen_.size())
    seen_.push_back({&operation,
                     operation.lane,
                     operation.kind,
                     takes_(operation),
                     {operation.timeline, operation.value},
                     {operation.waits, operation.waits + operation.wait_count}});
  return nullptr;
}

// Updates carry no step number. An update begins a step if the current step contains it already, or
// if it began one before. So the first updates of the later steps of a period count as the end of
// the previous step.
bool StepPatterns::begins_step(const convoy_submission& operation) const {
  if (count_ == 0) return true;
  if (expected_ != nullptr && count_ == expected_->first.size()) return true;
  if (operation.kind != CONVOY_OP_APPLY) return step_ && *step_ != operation.step;
  return updates_.contains(operation.operation) ||
         (expected_ == nullptr && patterns_.contains(&operation));
}

// The current step is learned if it arrives completely.
void StepPatterns::forget() {
  patterns_.clear();
  expected_ = nullptr;
  runs_.clear();
  seen_.clear();
}

void StepPatterns::begin(const convoy_submission& operation) {
  close();
  step_.reset();
  updates_.clear();
  count_ = 0;
  ++steps_;
  std::erase_if(own_, [this](const auto& it) { return it.second + kOwnSteps < steps_; });
  seen_.clear();
  runs_.clear();
  expected_ = nullptr;
  const auto known = patterns_.find(&operation);
  if (known == patterns_.end() || known->second.times < kTimesToLearn) return;
  if (known->second.run_of.empty()) cut(known->second);
  expected_ = &known->second;
  runs_.resize(expected_->run_size.size());
}

// A step that was seen from its first to its last operation is stored.
void StepPatterns::close() {
  if (expected_ != nullptr || seen_.empty() || seen_.size() != count_) return;
  tell_waits(seen_);
  if (patterns_.size() >= kMostPatterns) patterns_.clear();
  Pattern& pattern = patterns_[seen_.front().operation];
  const bool same = std::equal(
      seen_.begin(), seen_.end(), pattern.first.begin(), pattern.first.end(),
      [](const Seen& a, const Seen& b) { return a.operation == b.operation && a.kind == b.kind; });
  if (!same) pattern = {std::move(seen_), 0, {}, {}};
  ++pattern.times;
}

// Waits for earlier operations on the same lane always hold.
void StepPatterns::tell_waits(const std::vector<Seen>& step) {
  for (const Seen& it : step)
    for (const convoy_wait& wait : it.waits) {
      const bool on_lane = std::any_of(step.begin(), step.end(), [&](const Seen& other) {
        return other.lane == it.lane && other.reaches.timeline == wait.timeline &&
               other.reaches.value == wait.value;
      });
      if (!on_lane) ledger_->note_awaited(wait, device_);
    }
}

void StepPatterns::cut(Pattern& pattern) const {
  pattern.run_of.assign(pattern.first.size(), kNoRun);
  pattern.run_size.clear();
  if (!stands_alone(pattern)) return cut_lanes(pattern);
  std::fill(pattern.run_of.begin(), pattern.run_of.end(), std::size_t{0});
  pattern.run_size.push_back(pattern.first.size());
}

bool StepPatterns::stands_alone(const Pattern& pattern) const {
  const auto is_own = [this](const convoy_wait& wait) { return own_.contains(wait.timeline); };
  return std::all_of(pattern.first.begin(), pattern.first.end(), [&](const Seen& it) {
    return it.taken && std::all_of(it.waits.begin(), it.waits.end(), is_own) &&
           !ledger_->is_awaited_elsewhere(it.reaches, device_);
  });
}

// Whether an operation may be in one run with the previous one on its lane.
bool StepPatterns::follows(const Pattern& pattern, std::size_t before,
                           std::size_t operation) const {
  const Seen& it = pattern.first[operation];
  if (!pattern.first[before].taken || ledger_->is_awaited(pattern.first[before].reaches))
    return false;
  return std::all_of(it.waits.begin(), it.waits.end(), [&](const convoy_wait& wait) {
    return std::any_of(pattern.first.begin(), pattern.first.end(), [&](const Seen& other) {
      return other.lane == it.lane && other.reaches.timeline == wait.timeline &&
             other.reaches.value == wait.value;
    });
  });
}

// A single operation is worth a graph only if it consists of layers; other operations are one
// launch anyway.
void StepPatterns::cut_lanes(Pattern& pattern) const {
  std::map<std::uint32_t, std::vector<std::size_t>> lanes;
  for (std::size_t i = 0; i < pattern.first.size(); ++i) lanes[pattern.first[i].lane].push_back(i);
  for (const auto& [lane, operations] : lanes)
    for (std::size_t begin = 0, end = 0; begin < operations.size(); begin = end) {
      end = begin + 1;
      if (!pattern.first[operations[begin]].taken) continue;
      while (end < operations.size() && pattern.first[operations[end]].taken &&
             follows(pattern, operations[end - 1], operations[end]))
        ++end;
      if (end - begin == 1 && !is_layers(pattern.first[operations[begin]].kind)) continue;
      for (std::size_t i = begin; i < end; ++i)
        pattern.run_of[operations[i]] = pattern.run_size.size();
      pattern.run_size.push_back(end - begin);
    }
}

}  // namespace convoy::cuda
