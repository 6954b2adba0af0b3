#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/text/nearest.hpp"
#include "topology/read/described_file.hpp"

namespace convoy::topology {

using nlohmann::json;

DescribedObject::DescribedObject(const DescribedFile& file)
    : DescribedObject(file, file.document(), "") {}

DescribedObject::DescribedObject(const DescribedFile& file, const json& value, std::string pointer)
    : file_(&file), value_(&value), pointer_(std::move(pointer)) {}

std::string DescribedObject::where() const {
  return fmt::format("{}:{}", file_->name(), file_->line(pointer_));
}

void DescribedObject::reject(const char* key, const std::string& problem) const {
  fail(ExitCode::kUsage, "{}:{}: \"{}\" {}", file_->name(), file_->line(pointer_ + "/" + key), key,
       problem);
}

const json* DescribedObject::find(const char* key) {
  asked_.push_back(key);
  const auto found = value_->find(key);
  return found == value_->end() ? nullptr : &*found;
}

const json& DescribedObject::get(const char* key) {
  const json* value = find(key);
  if (value != nullptr) return *value;
  std::vector<std::string> others;
  for (const auto& item : value_->items())
    if (std::find(asked_.begin(), asked_.end(), item.key()) == asked_.end())
      others.push_back(item.key());
  const std::vector<std::string> nearest = nearest_names(key, others);
  reject(key, nearest.empty() ? std::string("is missing")
                              : fmt::format("is missing; is it meant by \"{}\"?", nearest.front()));
}

namespace {

// Bounds for bytes, operations, seconds and their quotients. Within them, results stay finite and
// fit integers of 64 bits.
constexpr double kLeastNumber = 1e-15;
constexpr double kMostNumber = 1e18;

}  // namespace

double DescribedObject::checked_number(const char* key, const json& value) const {
  if (!value.is_number())
    reject(key, fmt::format("must be a number, not {} ({})", value.dump(), value.type_name()));
  const double number = value.get<double>();
  if (!std::isfinite(number) || number < 0)
    reject(key, fmt::format("is {}: it must not be negative", value.dump()));
  if (number != 0 && (number < kLeastNumber || number > kMostNumber))
    reject(key, fmt::format("is {}: nothing that is described is below {} or above {}",
                            value.dump(), kLeastNumber, kMostNumber));
  return number;
}

bool DescribedObject::has(const char* key) {
  return find(key) != nullptr;
}

double DescribedObject::number(const char* key) {
  return checked_number(key, get(key));
}

double DescribedObject::number_or(const char* key, double otherwise) {
  const json* value = find(key);
  return value == nullptr ? otherwise : checked_number(key, *value);
}

std::uint32_t DescribedObject::count(const char* key, std::uint32_t least) {
  const json& value = get(key);
  if (!value.is_number_integer())
    reject(key, fmt::format("must be a whole number, not {}", value.dump()));
  const double number = checked_number(key, value);
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (number < least) reject(key, fmt::format("is {}: at least {} is needed", value.dump(), least));
  if (number > kMost) reject(key, fmt::format("is {}: at most {}", value.dump(), kMost));
  return static_cast<std::uint32_t>(number);
}

std::uint32_t DescribedObject::count_or(const char* key, std::uint32_t otherwise) {
  return has(key) ? count(key) : otherwise;
}

bool DescribedObject::flag_or(const char* key, bool otherwise) {
  const json* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean())
    reject(key, fmt::format("must be true or false, not {}", value->dump()));
  return value->get<bool>();
}

std::string DescribedObject::text(const char* key) {
  const json& value = get(key);
  if (!value.is_string())
    reject(key, fmt::format("must be a text in quotes, not {}", value.dump()));
  return value.get<std::string>();
}

std::string DescribedObject::text_or(const char* key, const std::string& otherwise) {
  return has(key) ? text(key) : otherwise;
}

std::vector<std::string> DescribedObject::texts(const char* key) {
  const json* list = find(key);
  std::vector<std::string> result;
  if (list == nullptr) return result;
  if (!list->is_array()) reject(key, "must be a list in brackets");
  for (const json& value : *list) {
    if (!value.is_string())
      reject(key, fmt::format("must hold texts in quotes, not {}", value.dump()));
    result.push_back(value.get<std::string>());
  }
  return result;
}

std::vector<double> DescribedObject::numbers(const char* key) {
  const json* list = find(key);
  std::vector<double> result;
  if (list == nullptr) return result;
  if (!list->is_array()) reject(key, "must be a list in brackets");
  for (const json& value : *list) result.push_back(checked_number(key, value));
  return result;
}

std::vector<DescribedObject> DescribedObject::objects(const char* key) {
  const json* list = find(key);
  std::vector<DescribedObject> result;
  if (list == nullptr) return result;
  if (!list->is_array()) reject(key, "must be a list in brackets");
  for (const json& value : *list) {
    const std::string pointer = fmt::format("{}/{}/{}", pointer_, key, result.size());
    if (!value.is_object())
      fail(ExitCode::kUsage, "{}:{}: \"{}\" must hold objects in braces, not {}", file_->name(),
           file_->line(pointer), key, value.dump());
    result.push_back(DescribedObject(*file_, value, pointer));
  }
  return result;
}

DescribedObject DescribedObject::object(const char* key) {
  const json& value = get(key);
  if (!value.is_object())
    reject(key, fmt::format("must be an object in braces, not {}", value.dump()));
  return DescribedObject(*file_, value, fmt::format("{}/{}", pointer_, key));
}

Fact<double> DescribedObject::constant(const char* key) {
  DescribedObject object = this->object(key);
  Fact<double> fact;
  fact.value = object.number("value");
  fact.source = object.text("source");
  object.finish();
  if (fact.source.empty()) object.reject("source", "must say where the value comes from");
  return fact;
}

Fact<double> DescribedObject::constant_or_unknown(const char* key) {
  return has(key) ? constant(key) : Fact<double>{};
}

double DescribedObject::share(const char* key) {
  const double value = *constant(key).value;
  if (value > 1) reject(key, fmt::format("is {}: a share of a whole, at most 1", value));
  return value;
}

void DescribedObject::finish() const {
  for (const auto& item : value_->items()) {
    if (std::find(asked_.begin(), asked_.end(), item.key()) != asked_.end()) continue;
    const std::vector<std::string> nearest = nearest_names(item.key(), asked_);
    reject(item.key().c_str(),
           nearest.empty() ? std::string("is not a field that belongs here")
                           : fmt::format("is unknown; did you mean \"{}\"?", nearest.front()));
  }
}

}  // namespace convoy::topology
