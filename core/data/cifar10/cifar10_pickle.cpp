#include "core/data/cifar10/cifar10_pickle.hpp"

#include <fmt/format.h>

#include <optional>

#include "core/base/error.hpp"
#include "core/data/cifar10/cifar10_images.hpp"
#include "core/data/cifar10/pickle.hpp"

namespace convoy::data {
namespace {

using Kind = PickleValue::Kind;

constexpr std::int64_t kMostImages = kLargestPickle / kCifar10ImageBytes;

class BatchReader {
 public:
  BatchReader(const Pickle& pickle, const std::filesystem::path& path)
      : pickle_(pickle), path_(path) {}

  Cifar10Batch read() const {
    Cifar10Batch batch;
    batch.labels = read_labels();
    batch.pixels = read_data(entry("data"), static_cast<std::int64_t>(batch.labels.size()));
    return batch;
  }

 private:
  template <typename... Args>
  [[noreturn]] void reject(fmt::format_string<Args...> format, Args&&... args) const {
    fail(ExitCode::kFailed, "{}: {}", path_.string(),
         fmt::format(format, std::forward<Args>(args)...));
  }

  const PickleValue& item(const PickleValue& value, std::size_t index) const {
    return pickle_.at(value.items.at(index));
  }

  bool calls(const PickleValue& value, std::string_view function) const {
    return value.kind == Kind::kCall && item(value, 0).text.ends_with(function);
  }

  // Returns the content of bytes. For protocols without bytes, Python 3 writes them as a call,
  // encode(text, "latin1"), in which every character is one byte.
  std::optional<std::string> bytes_of(const PickleValue& value, std::size_t most) const {
    if (value.kind == Kind::kBytes) return std::string(value.text.substr(0, most + 1));
    if (!calls(value, "_codecs encode") || item(value, 1).items.empty()) return {};
    const PickleValue& text = item(item(value, 1), 0);
    if (text.kind != Kind::kText) return {};
    std::string bytes;
    for (std::size_t i = 0; i < text.text.size() && bytes.size() <= most; ++i) {
      const auto first = static_cast<unsigned char>(text.text[i]);
      if (first < 0x80) {
        bytes.push_back(static_cast<char>(first));
        continue;
      }
      // The characters 0x80 to 0xff are two bytes: 110000xx 10xxxxxx.
      if ((first & 0xfc) != 0xc0 || ++i == text.text.size()) return {};
      bytes.push_back(static_cast<char>(first << 6 | (text.text[i] & 0x3f)));
    }
    return bytes;
  }

  const PickleValue& entry(std::string_view key) const {
    const PickleValue& root = pickle_.root();
    if (root.kind != Kind::kDictionary) reject("not a pickled dictionary");
    for (std::size_t i = root.items.size(); i >= 2; i -= 2) {
      const PickleValue& name = item(root, i - 2);
      const bool named = name.kind == Kind::kText ? name.text == key
                                                  : bytes_of(name, key.size()) == std::string(key);
      if (named) return item(root, i - 1);
    }
    reject("the pickled dictionary has no key '{}'; data_batch_* and test_batch of CIFAR-10 do",
           key);
  }

  std::vector<std::int64_t> read_labels() const {
    const PickleValue& list = entry("labels");
    if (list.kind != Kind::kList) reject("labels are not a list");
    if (list.items.size() > kMostImages) reject("{} labels", list.items.size());
    std::vector<std::int64_t> labels;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      if (item(list, i).kind != Kind::kInteger) reject("label {} is not an integer", i);
      labels.push_back(item(list, i).integer);
    }
    return labels;
  }

  std::string read_data(const PickleValue& data, std::int64_t images) const {
    const auto expected = static_cast<std::size_t>(images * kCifar10ImageBytes);
    const bool array = calls(data, " _reconstruct");
    const std::optional<std::string> bytes =
        array ? array_bytes(data, images) : bytes_of(data, expected);
    if (!bytes) reject("data is neither an array nor bytes");
    if (bytes->size() != expected) {
      reject("{} labels need {} bytes of data, and there are {}{}", images, expected,
             bytes->size() > expected ? "more than " : "", std::min(bytes->size(), expected));
    }
    return *bytes;
  }

  // Returns the bytes of an array from its state, which is: version, shape, type, whether columns
  // come first, content.
  std::optional<std::string> array_bytes(const PickleValue& array, std::int64_t images) const {
    if (array.items.size() != 3 || item(array, 2).items.size() != 5) reject("data has no content");
    const PickleValue& state = item(array, 2);
    check_shape(item(state, 1), images);
    check_type(item(state, 2));
    const auto size = static_cast<std::size_t>(images * kCifar10ImageBytes);
    std::optional<std::string> bytes = bytes_of(item(state, 4), size);
    const bool columns_first = item(state, 3).integer != 0;
    if (!bytes || bytes->size() != size || !columns_first) return bytes;
    std::string rows_first(size, '\0');
    const auto rows = static_cast<std::size_t>(images);
    for (std::size_t i = 0; i < size; ++i) {
      rows_first[i % rows * kCifar10ImageBytes + i / rows] = (*bytes)[i];
    }
    return rows_first;
  }

  void check_shape(const PickleValue& shape, std::int64_t images) const {
    if (shape.kind != Kind::kTuple || shape.items.size() != 2) {
      reject("data is not an array of two dimensions");
    }
    const std::int64_t rows = item(shape, 0).integer;
    const std::int64_t columns = item(shape, 1).integer;
    if (rows != images || columns != kCifar10ImageBytes) {
      reject("data is an array of {} x {}; {} labels need {} x {}", rows, columns, images, images,
             kCifar10ImageBytes);
    }
  }

  void check_type(const PickleValue& type) const {
    const bool named = calls(type, "numpy dtype") && !item(type, 1).items.empty();
    const PickleValue* const name = named ? &item(item(type, 1), 0) : nullptr;
    const std::string text = name == nullptr             ? "?"
                             : name->kind == Kind::kText ? std::string(name->text)
                                                         : bytes_of(*name, 16).value_or("?");
    if (text != "u1") reject("data is an array of type '{}', not of bytes ('u1')", text);
  }

  const Pickle& pickle_;
  const std::filesystem::path& path_;
};

}  // namespace

Cifar10Batch unpickle_cifar10(std::string_view bytes, const std::filesystem::path& path) {
  const Pickle pickle(bytes, path);
  return BatchReader(pickle, path).read();
}

}  // namespace convoy::data
