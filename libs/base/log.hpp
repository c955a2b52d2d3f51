#pragma once
// Logging: one line per event on standard error, in UTC, through spdlog:
//
//     2026-03-01T08:00:00.000000Z W trigger: election: renewing the lease failed, retrying in 1 s: timed out epoch=7
//
// `area` names the part of the program ("election", "client"). `event` says what happened and, in a warning, what the
// program does next; it is constant text. Everything that varies is a field. Any thread may log.

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace baton::log {

// A named value. Text is quoted if it has spaces or control characters. The text must outlive the call only.
class field {
public:
    field(std::string_view key, bool value) : key_(key), value_(value) {}
    field(std::string_view key, double value) : key_(key), value_(value) {}
    field(std::string_view key, std::string_view value) : key_(key), value_(value) {}
    field(std::string_view key, std::string const& value) : field(key, std::string_view(value)) {}
    field(std::string_view key, char const* value) : field(key, std::string_view(value)) {}
    template <std::integral Number>
    requires(!std::same_as<Number, bool>) field(std::string_view key, Number value)
        : key_(key), value_(static_cast<std::int64_t>(value))
    {}

    std::string_view key() const { return key_; }
    using value_type = std::variant<bool, std::int64_t, double, std::string_view>;
    value_type const& value() const { return value_; }

private:
    std::string_view key_;
    value_type value_;
};

// The cause of a failure. It stands behind the event and a colon, in front of the other fields.
field reason(std::string_view text);

using fields = std::initializer_list<field>;

void debug(std::string_view area, std::string_view event, fields = {});
void info(std::string_view area, std::string_view event, fields = {});
void warn(std::string_view area, std::string_view event, fields = {});
void error(std::string_view area, std::string_view event, fields = {});

// The text of one line without time and level: "area: event: reason key=value key=\"two words\"".
std::string text_line(std::string_view area, std::string_view event, fields);

enum class level { debug, info, warning, error };
// Gets each line as text_line() has it. Any thread may call it, several at once.
using sink = std::function<void(level which, std::string_view line)>;

// Sends the lines of this process to `to` instead, of all levels, until the returned object is destroyed. Of several
// the latest counts. An exception of `to` is dropped.
std::shared_ptr<void> take_over(sink to);

// Called once in main, before other threads log. Until then lines of level info and above are written under the name
// "baton". `level` is trace, debug, info, warn, error or off; throws std::invalid_argument for another.
void start(std::string const& process, std::string const& level);

} // namespace baton::log
