// What test files instantiate of the standard library and of the JSON library, optimised. Test
// files are not optimised, and of functions that several files have the linker keeps the first that
// it meets: without this object, which comes before them, the code under test would run on theirs.
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
