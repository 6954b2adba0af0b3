// Instances of templates of the standard library and of the JSON library that test files use,
// compiled with optimisation. Test files are not optimised, and if several files have the same
// function, the linker keeps the first one. Without this object, which comes first, the code under
// test would run on unoptimised instances.
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

template class std::basic_string<char>;
template class std::vector<std::string>;
template class std::vector<double>;
template class std::vector<float>;
template class std::vector<int>;
template class std::vector<std::uint8_t>;
template class std::vector<std::uint32_t>;
template class std::vector<std::uint64_t>;
template class std::map<std::string, std::string>;
template class std::set<std::string>;
template class std::vector<nlohmann::json>;
template class std::map<std::string, nlohmann::json, std::less<>>;
