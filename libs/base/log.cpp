#include "libs/base/log.hpp"

#include "libs/base/printable.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace baton::log {

namespace {

constexpr std::string_view reason_key = "reason";

// Escapes what is not printable, so that logged text cannot control a terminal.
void append_escaped(std::string& line, std::string_view text, bool quoted)
{
    while (!text.empty()) {
        auto const first = first_character_of(text);
        auto const bytes = text.substr(0, first.bytes);
        text.remove_prefix(first.bytes);
        if (!first.shown) {
            for (char const byte : bytes)
                fmt::format_to(std::back_inserter(line), "\\x{:02x}", static_cast<unsigned char>(byte));
            continue;
        }
        if (quoted && (bytes == "\"" || bytes == "\\"))
            line += '\\';
        line += bytes;
    }
}

void append_text(std::string& line, std::string_view text)
{
    bool const plain = !text.empty() && text.find_first_of(" \"=") == std::string_view::npos && printable(text) == text;
    if (!plain)
        line += '"';
    append_escaped(line, text, !plain);
    if (!plain)
        line += '"';
}

void append_value(std::string& line, field::value_type const& value)
{
    if (auto const* const text = std::get_if<std::string_view>(&value))
        append_text(line, *text);
    else if (auto const* const number = std::get_if<std::int64_t>(&value))
        line += std::to_string(*number);
    else if (auto const* const real = std::get_if<double>(&value))
        line += fmt::format("{}", *real);
    else
        line += std::get<bool>(value) ? "true" : "false";
}

// The sinks that have taken over, the latest last.
struct taken_over {
    std::mutex mutex;
    std::vector<std::shared_ptr<sink>> sinks;
    std::atomic<bool> any{false}; // spares the mutex

    std::shared_ptr<sink> latest()
    {
        if (!any)
            return nullptr;
        std::lock_guard const lock(mutex);
        return sinks.empty() ? nullptr : sinks.back();
    }
    void add(std::shared_ptr<sink> one)
    {
        std::lock_guard const lock(mutex);
        sinks.push_back(std::move(one));
        any = true;
    }
    void remove(std::shared_ptr<sink> const& one)
    {
        std::lock_guard const lock(mutex);
        std::erase(sinks, one);
        any = !sinks.empty();
    }
};

// Never destroyed, since threads may log until the process has ended.
taken_over& takers()
{
    static auto* const all = new taken_over;
    return *all;
}

spdlog::level::level_enum level_of(level which)
{
    static constexpr spdlog::level::level_enum levels[] = {spdlog::level::debug, spdlog::level::info,
                                                           spdlog::level::warn, spdlog::level::err};
    return levels[static_cast<std::size_t>(which)];
}

std::shared_ptr<spdlog::logger> make_logger(std::string const& process, spdlog::level::level_enum least)
{
    auto logger = std::make_shared<spdlog::logger>(process, std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%fZ %^%L%$ %n: %v", spdlog::pattern_time_type::utc);
    logger->set_level(least);
    return logger;
}

// Before start(), and in a service that embeds the SDK, the lines have the same format. Never destroyed, since threads
// may log until the process has ended.
std::shared_ptr<spdlog::logger>& own_logger()
{
    static auto* const logger = new std::shared_ptr<spdlog::logger>(make_logger("baton", spdlog::level::info));
    return *logger;
}

void write(level which, std::string_view area, std::string_view event, fields values)
{
    if (auto const to = takers().latest()) {
        try {
            (*to)(which, text_line(area, event, values));
        } catch (...) {
            // A log must not end what it reports on.
        }
        return;
    }
    auto* const logger = own_logger().get();
    if (logger->should_log(level_of(which)))
        logger->log(level_of(which), spdlog::string_view_t(text_line(area, event, values)));
}

} // namespace

field reason(std::string_view text)
{
    return {reason_key, text};
}

std::string text_line(std::string_view area, std::string_view event, fields values)
{
    std::string line(area);
    line += ": ";
    line += event;
    for (auto const& each : values)
        if (auto const* const why = std::get_if<std::string_view>(&each.value()); why && each.key() == reason_key) {
            line += ": ";
            append_escaped(line, *why, false);
        }
    for (auto const& each : values) {
        if (each.key() == reason_key)
            continue;
        (line += ' ') += each.key();
        line += '=';
        append_value(line, each.value());
    }
    return line;
}

void debug(std::string_view area, std::string_view event, fields values)
{
    write(level::debug, area, event, values);
}

void info(std::string_view area, std::string_view event, fields values)
{
    write(level::info, area, event, values);
}

void warn(std::string_view area, std::string_view event, fields values)
{
    write(level::warning, area, event, values);
}

void error(std::string_view area, std::string_view event, fields values)
{
    write(level::error, area, event, values);
}

std::shared_ptr<void> take_over(sink to)
{
    auto one = std::make_shared<sink>(std::move(to));
    takers().add(one);
    return {nullptr, [one](void*) { takers().remove(one); }};
}

void start(std::string const& process, std::string const& level)
{
    auto const parsed = spdlog::level::from_str(level);
    if (parsed == spdlog::level::off && level != "off")
        throw std::invalid_argument("unknown log level '" + level + "'");
    own_logger() = make_logger(process, parsed);
}

} // namespace baton::log
