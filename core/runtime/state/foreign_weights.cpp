#include "core/runtime/state/foreign_weights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/base/error.hpp"
#include "core/base/text/counted.hpp"
#include "core/runtime/state/checkpoint_tensors.hpp"

namespace convoy::runtime {
namespace {

// Reads by the map and collects what does not fit.
class MappedReader {
 public:
  MappedReader(const checkpoint::SafetensorsFile& file, const WeightsMap& map)
      : file_(file), map_(map) {}

  // Returns the tensor's source; null if the source does not fit.
  const checkpoint::StoredTensor* find(const ModelTensor& tensor) {
    const auto entry = map_.tensors.find(tensor.name);
    if (entry == map_.tensors.end()) return complain(tensor.name + " is not in the map");
    const WeightsSource& source = entry->second;
    used_.insert(source.from);
    const checkpoint::StoredTensor* stored = file_.find(source.from);
    if (stored == nullptr)
      return complain(fmt::format("{} needs {}, which the file does not have", tensor.name,
                                  checkpoint::printable(source.from)));
    std::vector<std::uint64_t> shape = stored->info.shape;
    const bool rows_fit = source.rows <= tensor.shape.front();
    if (!shape.empty() && rows_fit) shape.front() += source.rows;
    if (!rows_fit || shape != tensor.shape)
      return complain(fmt::format(
          "{} is {}, {} of the file is {}", tensor.name, checkpoint::shape_text(tensor.shape),
          checkpoint::printable(source.from), checkpoint::shape_text(stored->info.shape)));
    return stored;
  }

  std::vector<float> read(const ModelTensor& tensor) {
    const checkpoint::StoredTensor* const stored = find(tensor);
    if (stored == nullptr) return {};
    const WeightsSource& source = map_.tensors.at(tensor.name);
    const std::uint64_t row = tensor.elements() / tensor.shape.front();
    std::vector<float> values(source.rows * row, source.row_value);
    const std::vector<float> read = file_.read_floats(*stored);
    values.insert(values.end(), read.begin(), read.end());
    return values;
  }

  void finish(const graph::Graph& graph) {
    for (const checkpoint::StoredTensor& tensor : file_.tensors()) {
      const std::string& name = tensor.info.name;
      const bool ignored = std::ranges::any_of(
          map_.ignored_suffixes, [&](const std::string& suffix) { return name.ends_with(suffix); });
      if (!ignored && !used_.contains(name))
        complain(checkpoint::printable(name) + " is left over");
    }
    if (problems_.empty()) return;
    fail(
        ExitCode::kFailed, "{} does not fit model {} by this --weights_map ({} differences):\n  {}",
        file_.path().string(), graph.model(), problems_.size(), joined_some(problems_, 10, "\n  "));
  }

 private:
  const checkpoint::StoredTensor* complain(std::string problem) {
    problems_.push_back(std::move(problem));
    return nullptr;
  }

  const checkpoint::SafetensorsFile& file_;
  const WeightsMap& map_;
  std::set<std::string> used_;
  std::vector<std::string> problems_;
};

}  // namespace

void require_fit(const checkpoint::SafetensorsFile& file, const graph::Graph& graph,
                 const WeightsMap& map) {
  MappedReader reader(file, map);
  for (const ModelTensor& tensor : model_tensors(graph)) reader.find(tensor);
  reader.finish(graph);
}

ModelValues read_foreign_weights(const checkpoint::SafetensorsFile& file, const graph::Graph& graph,
                                 const WeightsMap& map) {
  MappedReader reader(file, map);
  ModelValues values =
      values_of(graph, [&](const ModelTensor& tensor) { return reader.read(tensor); });
  reader.finish(graph);
  return values;
}

}  // namespace convoy::runtime
