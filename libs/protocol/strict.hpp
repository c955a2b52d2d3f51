#pragma once

#include "libs/base/error.hpp"
#include "libs/base/time.hpp"

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace baton::protocol {

// Reads a JSON object that a person wrote: a wrong type or an unknown key throws invalid_input with the path of the
// field ("schedule.cron") and an example of field_examples. Not for messages between our own programs, where unknown
// fields must be ignored.
class strict_object {
public:
    // `example` is such an object; one with a path has its own.
    strict_object(nlohmann::json const& value, std::string path, char const* example = "");

    // The member, or nullptr when absent. A null is a value like others, which only a payload may have. Marks the key
    // as known.
    nlohmann::json const* find(char const* key);
    // The same for a member that only our programs write: finish() knows it and does not name it to people.
    nlohmann::json const* find_unlisted(char const* key);
    nlohmann::json const& need(char const* key);

    std::string text(char const* key, std::string fallback, std::size_t longest); // `longest` in characters
    std::string need_text(char const* key, std::size_t longest);
    std::int64_t number(char const* key, std::int64_t fallback, std::int64_t least, std::int64_t most);
    // A member in milliseconds, such as "timeout_ms".
    duration millis(char const* key, duration fallback, duration least, duration most);
    bool flag(char const* key, bool fallback);
    // Up to `most` texts, none of them empty; none without the member.
    std::vector<std::string> texts(char const* key, std::size_t most, std::size_t longest);
    std::string path_of(char const* key) const;

    // For members that mean something only beside another value: throws if one of them is there, with `why`, such as
    // "needs a limit".
    void refuse(std::initializer_list<char const*> keys, std::string const& why) const;

    // Throws for a value that is not as it should be; `why` follows the name of the field.
    [[noreturn]] void refuse_value(char const* key, std::string const& why) const;

    // Throws for the first key that no call above has named, and names those that there are. Call it last. `where`: of
    // which form of the document they are the fields.
    void finish(std::string const& where = "here") const;

private:
    std::optional<std::string> unknown() const;

    nlohmann::json const& value_;
    std::string path_;
    std::vector<std::string> known_;
    std::vector<std::string> unlisted_;
};

} // namespace baton::protocol
