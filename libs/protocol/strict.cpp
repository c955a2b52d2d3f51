#include "libs/protocol/strict.hpp"

#include "libs/base/characters.hpp"
#include "libs/protocol/field_examples.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace baton::protocol {

namespace {

// In JSON Schema 1.0 and 1e3 are integers.
std::optional<std::int64_t> whole_number(nlohmann::json const& value)
{
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX})
        return std::nullopt;
    if (value.is_number_integer())
        return value.get<std::int64_t>();
    if (!value.is_number_float())
        return std::nullopt;
    auto const number = value.get<double>();
    constexpr double exact = 9'007'199'254'740'992; // 2^53; a double beyond it is not every integer
    if (std::abs(number) > exact || std::trunc(number) != number)
        return std::nullopt;
    return static_cast<std::int64_t>(number);
}

std::string in_words(std::string const& example)
{
    return example.empty() ? std::string{} : "; write for example " + example;
}

} // namespace

strict_object::strict_object(nlohmann::json const& value, std::string path, char const* example)
    : value_(value), path_(std::move(path))
{
    if (!value.is_object())
        throw invalid_input(path_, (path_.empty() ? std::string("the document") : path_) + " must be a JSON object" +
                                       in_words(path_.empty() ? example : example_of(path_)));
}

void strict_object::refuse_value(char const* key, std::string const& why) const
{
    throw invalid_input(path_of(key), path_of(key) + why + in_words(example_of(path_of(key))));
}

nlohmann::json const* strict_object::find(char const* key)
{
    known_.emplace_back(key);
    auto const found = value_.find(key);
    return found == value_.end() ? nullptr : &*found;
}

nlohmann::json const* strict_object::find_unlisted(char const* key)
{
    unlisted_.emplace_back(key);
    auto const found = value_.find(key);
    return found == value_.end() ? nullptr : &*found;
}

nlohmann::json const& strict_object::need(char const* key)
{
    if (auto const* found = find(key))
        return *found;
    refuse_value(key, " is required");
}

std::string strict_object::text(char const* key, std::string fallback, std::size_t longest)
{
    auto const* found = find(key);
    if (found == nullptr)
        return fallback;
    if (!found->is_string())
        refuse_value(key, " must be a string");
    auto value = found->get<std::string>();
    if (count_characters(value) > longest)
        throw invalid_input(path_of(key), path_of(key) + " is longer than " + std::to_string(longest) + " characters");
    return value;
}

std::string strict_object::need_text(char const* key, std::size_t longest)
{
    need(key);
    auto value = text(key, {}, longest);
    if (value.empty())
        refuse_value(key, " must not be empty");
    return value;
}

std::int64_t strict_object::number(char const* key, std::int64_t fallback, std::int64_t least, std::int64_t most)
{
    auto const* found = find(key);
    if (found == nullptr)
        return fallback;
    auto const value = whole_number(*found);
    if (!value || *value < least || *value > most)
        throw invalid_input(path_of(key), path_of(key) + " must be a whole number from " + std::to_string(least) +
                                              " to " + std::to_string(most) +
                                              in_words(example_of(path_of(key), least, most)));
    return *value;
}

duration strict_object::millis(char const* key, duration fallback, duration least, duration most)
{
    return std::chrono::milliseconds{number(key, fallback / 1ms, least / 1ms, most / 1ms)};
}

bool strict_object::flag(char const* key, bool fallback)
{
    auto const* found = find(key);
    if (found == nullptr)
        return fallback;
    if (!found->is_boolean())
        refuse_value(key, " must be true or false");
    return found->get<bool>();
}

std::vector<std::string> strict_object::texts(char const* key, std::size_t most, std::size_t longest)
{
    auto const* found = find(key);
    if (found == nullptr)
        return {};
    if (!found->is_array() || found->size() > most)
        refuse_value(key, " must be a list of at most " + std::to_string(most) + " texts");
    std::vector<std::string> all;
    for (auto const& one : *found) {
        if (!one.is_string() || one.get_ref<std::string const&>().empty() ||
            count_characters(one.get_ref<std::string const&>()) > longest)
            refuse_value(key, " must list texts of 1 to " + std::to_string(longest) + " characters");
        all.push_back(one.get<std::string>());
    }
    return all;
}

std::string strict_object::path_of(char const* key) const
{
    return path_.empty() ? key : path_ + "." + key;
}

std::optional<std::string> strict_object::unknown() const
{
    for (auto const& [key, unused] : value_.items())
        if (std::find(known_.begin(), known_.end(), key) == known_.end() &&
            std::find(unlisted_.begin(), unlisted_.end(), key) == unlisted_.end())
            return key;
    return std::nullopt;
}

void strict_object::refuse(std::initializer_list<char const*> keys, std::string const& why) const
{
    for (auto const* const key : keys)
        if (value_.contains(key))
            throw invalid_input(path_of(key), path_of(key) + " " + why);
}

void strict_object::finish(std::string const& where) const
{
    auto const key = unknown();
    if (!key)
        return;
    std::string all;
    for (auto each = known_.begin(); each != known_.end(); ++each)
        if (std::find(known_.begin(), each, *each) == each)
            all += (all.empty() ? "" : ", ") + *each;
    throw invalid_input(path_of(key->c_str()), "unknown field " + in_quotes(path_of(key->c_str())) +
                                                   "; leave it out, the fields " + where + " are: " + all);
}

} // namespace baton::protocol
