#include "libs/schedule/cron_hash.hpp"

#include "libs/base/hash.hpp"

namespace baton::schedule {

namespace {

bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

} // namespace

std::uint32_t hash_seed_of(std::string_view project, std::string_view name)
{
    auto const all = fnv1a_64{}.add(project).add(std::string_view("\0", 1)).add(name).value();
    return static_cast<std::uint32_t>(mix64(all) >> 32);
}

unsigned hashed(std::uint32_t seed, unsigned field, unsigned count)
{
    return static_cast<unsigned>(mix64(seed + (field + 1) * 0x9e3779b97f4a7c15) >> 32) % count;
}

bool has_hash(std::string_view expression)
{
    for (std::size_t i = 0; i < expression.size(); ++i) {
        bool const alone =
            (i == 0 || !is_letter(expression[i - 1])) && (i + 1 == expression.size() || !is_letter(expression[i + 1]));
        if (alone && (expression[i] == 'H' || expression[i] == 'h'))
            return true;
    }
    return false;
}

} // namespace baton::schedule
