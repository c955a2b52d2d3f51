#include "libs/base/time.hpp"

#include "libs/base/loop_meter.hpp"
#include "libs/base/timer.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <stdexcept>

namespace baton {

namespace {

std::int64_t read_micros(clockid_t clock)
{
    timespec at{};
    clock_gettime(clock, &at);
    return std::int64_t{at.tv_sec} * 1'000'000 + at.tv_nsec / 1'000;
}

// Parses exactly `digits` digits at `position` and advances `position`.
int number(std::string const& text, std::size_t& position, int digits)
{
    int value = 0;
    for (int i = 0; i < digits; ++i, ++position) {
        if (position >= text.size() || !std::isdigit(static_cast<unsigned char>(text[position])))
            throw std::invalid_argument("not an RFC 3339 time: '" + text + "'");
        value = value * 10 + (text[position] - '0');
    }
    return value;
}

void expect(std::string const& text, std::size_t& position, char wanted)
{
    if (position >= text.size() || std::toupper(static_cast<unsigned char>(text[position])) != wanted)
        throw std::invalid_argument("not an RFC 3339 time: '" + text + "'");
    ++position;
}

duration fraction(std::string const& text, std::size_t& position)
{
    if (position >= text.size() || text[position] != '.')
        return {};
    ++position;
    std::int64_t micros = 0;
    int digits = 0;
    for (; position < text.size() && std::isdigit(static_cast<unsigned char>(text[position])); ++position)
        if (digits < 6) {
            micros = micros * 10 + (text[position] - '0');
            ++digits;
        }
    if (digits == 0)
        throw std::invalid_argument("not an RFC 3339 time: '" + text + "'");
    for (; digits < 6; ++digits)
        micros *= 10;
    return duration{micros};
}

duration offset(std::string const& text, std::size_t& position)
{
    if (position < text.size() && (text[position] == '+' || text[position] == '-')) {
        int const sign = text[position++] == '-' ? -1 : 1;
        int const hours = number(text, position, 2);
        expect(text, position, ':');
        int const minutes = number(text, position, 2);
        if (hours > 23 || minutes > 59)
            throw std::invalid_argument("no such offset: '" + text + "'");
        return sign * (std::chrono::hours{hours} + std::chrono::minutes{minutes});
    }
    expect(text, position, 'Z');
    return {};
}

} // namespace

std::string to_rfc3339(utc_time at)
{
    auto const day = std::chrono::floor<std::chrono::days>(at);
    std::chrono::year_month_day const date{day};
    std::chrono::hh_mm_ss const clock{at - day};
    char text[40];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ", int{date.year()}, unsigned{date.month()},
                  unsigned{date.day()}, static_cast<int>(clock.hours().count()),
                  static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()),
                  static_cast<int>(clock.subseconds().count()));
    return text;
}

utc_time from_rfc3339(std::string const& text)
{
    std::size_t position = 0;
    int const year = number(text, position, 4);
    expect(text, position, '-');
    int const month = number(text, position, 2);
    expect(text, position, '-');
    int const day = number(text, position, 2);
    expect(text, position, 'T');
    int const hour = number(text, position, 2);
    expect(text, position, ':');
    int const minute = number(text, position, 2);
    expect(text, position, ':');
    int const second = number(text, position, 2);
    auto const micros = fraction(text, position);
    auto const behind = offset(text, position);
    std::chrono::year_month_day const date{std::chrono::year{year}, std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (position != text.size() || !date.ok() || hour > 23 || minute > 59 || second > 59)
        throw std::invalid_argument("not an RFC 3339 time: '" + text + "'");
    return std::chrono::sys_days{date} + std::chrono::hours{hour} + std::chrono::minutes{minute} +
           std::chrono::seconds{second} + micros - behind;
}

instant system_time::now() const
{
    return instant{duration{read_micros(CLOCK_BOOTTIME)}};
}

utc_time system_time::utc() const
{
    return from_micros(read_micros(CLOCK_REALTIME));
}

awaitable<void> time_source::wait_until(instant at, asio::steady_timer& early)
{
    using namespace asio::experimental::awaitable_operators;
    kept_part const part;
    early.expires_at(asio::steady_timer::time_point::max());
    co_await (wait_quietly_on(early) || sleep_until(at));
    co_await throw_if_cancelled();
}

// One timer both wakes and times out, and a wake-up throws nothing: a busy node sleeps thousands of times a second.
awaitable<void> system_time::wait_until(instant at, asio::steady_timer& early)
{
    kept_part const part;
    early.expires_after(std::max<duration>(at - now(), duration::zero()));
    co_await wait_on(early);
}

awaitable<void> system_time::sleep_until(instant at)
{
    kept_part const part;
    asio::steady_timer timer(co_await asio::this_coro::executor);
    // The timer's clock stops during suspend, CLOCK_BOOTTIME does not, so the remaining time is computed again.
    for (auto left = at - now(); left > duration::zero(); left = at - now()) {
        timer.expires_after(left);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

std::string boot_id()
{
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string text;
    std::getline(file, text);
    std::erase(text, '-');
    if (text.size() != 32)
        throw std::runtime_error("cannot read /proc/sys/kernel/random/boot_id");
    return text;
}

} // namespace baton
