// Compares first_firing with a search through every minute or second that uses the C library's time zones.

#include "libs/base/error.hpp"
#include "libs/base/random.hpp"
#include "libs/schedule/cron_firings.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdlib>
#include <ctime>
#include <set>
#include <string>
#include <vector>

namespace cron_firings_oracle_test {
namespace {

using namespace baton;
using namespace baton::schedule;
using seconds_t = std::int64_t;

std::array<char const*, 10> const zones{"UTC",          "Europe/Berlin",     "America/New_York", "Australia/Lord_Howe",
                                        "Asia/Kolkata", "America/Sao_Paulo", "Pacific/Auckland", "Africa/Casablanca",
                                        "Asia/Tehran",  "Antarctica/Troll"};

struct shown {
    std::array<int, 6> fields{}; // second, minute, hour, day, month, weekday
    seconds_t line = 0;          // the reading as seconds on a line of its own
};

shown spread(std::tm const& at)
{
    std::tm copy = at;
    return {{at.tm_sec, at.tm_min, at.tm_hour, at.tm_mday, at.tm_mon + 1, at.tm_wday}, timegm(&copy)};
}

shown wall(seconds_t utc)
{
    std::time_t const when = utc;
    std::tm at{};
    localtime_r(&when, &at);
    return spread(at);
}

shown reading(seconds_t line)
{
    std::time_t const when = line;
    std::tm at{};
    gmtime_r(&when, &at);
    return spread(at);
}

// A random expression, as text and as the values that it admits.
struct sample {
    std::string text;
    std::array<std::set<int>, 6> admitted;
    bool either_day = false;
    bool repeats = false;
    bool with_seconds = false;

    bool admits(shown const& at) const
    {
        for (std::size_t i : {0, 1, 2, 4})
            if (!admitted[i].contains(at.fields[i]))
                return false;
        bool const day = admitted[3].contains(at.fields[3]);
        bool const weekday = admitted[5].contains(at.fields[5]);
        return either_day ? day || weekday : day && weekday;
    }
};

class generator {
public:
    explicit generator(std::uint64_t seed) : random_(seed) {}

    int between(int low, int high)
    {
        return low + static_cast<int>(random_.below(static_cast<std::uint64_t>(high - low + 1)));
    }

    sample expression()
    {
        sample made;
        made.with_seconds = between(0, 3) == 0;
        std::array<bool, 6> starred{};
        constexpr std::array<std::array<int, 2>, 6> limits{{{0, 59}, {0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 6}}};
        if (!made.with_seconds)
            made.admitted[0] = {0};
        for (std::size_t i = made.with_seconds ? 0 : 1; i < 6; ++i) {
            bool const plain = i >= 3 && between(0, 9) < (i == 4 ? 8 : 6);
            auto const text = plain ? star(made.admitted[i], limits[i]) : field(made.admitted[i], limits[i]);
            starred[i] = text.front() == '*';
            made.text += (made.text.empty() ? "" : " ") + text;
        }
        made.either_day = !starred[3] && !starred[5];
        made.repeats = starred[1] || starred[2];
        return made;
    }

private:
    using range = std::array<int, 2>;

    static void fill(std::set<int>& into, int from, int to, int step)
    {
        for (int value = from; value <= to; value += step)
            into.insert(value);
    }

    static std::string star(std::set<int>& into, range limits)
    {
        fill(into, limits[0], limits[1], 1);
        return "*";
    }

    std::string field(std::set<int>& into, range limits)
    {
        std::string text;
        for (int items = between(1, 3); items > 0; --items)
            text += (text.empty() ? "" : ",") + item(into, limits);
        return text;
    }

    std::string item(std::set<int>& into, range limits)
    {
        int const from = between(limits[0], limits[1]);
        int const to = between(from, limits[1]);
        int const step = between(1, 15);
        switch (between(0, 7)) {
        case 0:
            return star(into, limits);
        case 1:
        case 2:
            fill(into, limits[0], limits[1], step);
            return "*/" + std::to_string(step);
        case 3:
            fill(into, from, to, 1);
            return std::to_string(from) + "-" + std::to_string(to);
        case 4:
            fill(into, from, to, step);
            return std::to_string(from) + "-" + std::to_string(to) + "/" + std::to_string(step);
        default:
            into.insert(from);
            return std::to_string(from);
        }
    }

    seeded_random random_;
};

// True if the clock showed the reading of `utc` before. All changes since 1990 are of half an hour to three hours.
bool shown_before(seconds_t utc, shown const& now)
{
    for (seconds_t const back : {1'800, 3'600, 7'200, 10'800})
        if (wall(utc - back).line == now.line)
            return true;
    return false;
}

bool fires_at(sample const& job, seconds_t utc, seconds_t step)
{
    auto const now = wall(utc);
    if (job.repeats)
        return job.admits(now);
    if (job.admits(now) && !shown_before(utc, now))
        return true;
    for (seconds_t line = wall(utc - step).line + step; line < now.line; line += step)
        if (job.admits(reading(line)))
            return true;
    return false;
}

// The first firing in [from, from + span).
std::optional<seconds_t> naive_first(sample const& job, seconds_t from, seconds_t span)
{
    seconds_t const step = job.with_seconds ? 1 : 60;
    for (seconds_t utc = (from + step - 1) / step * step; utc < from + span; utc += step)
        if (fires_at(job, utc, step))
            return utc;
    return std::nullopt;
}

// The instants from 2024 to 2045 at which the zone's offset changes.
std::vector<seconds_t> changes()
{
    std::vector<seconds_t> found;
    constexpr seconds_t begin = 1'704'067'200;
    constexpr seconds_t end = 2'366'841'600;
    seconds_t offset = wall(begin).line - begin;
    for (seconds_t utc = begin; utc < end; utc += 1'800) {
        auto const now = wall(utc).line - utc;
        if (now != offset)
            found.push_back(utc);
        offset = now;
    }
    return found;
}

std::string show(std::optional<seconds_t> at)
{
    return at ? to_rfc3339(from_micros(*at * 1'000'000)) : "nothing";
}

} // namespace

TEST_CASE("the search by fields finds the same firings as a search through every minute or second")
{
    INFO("seed " << Catch::rngSeed());
    generator random(Catch::rngSeed());
    for (auto const* zone : zones) {
        setenv("TZ", zone, 1);
        tzset();
        auto const turns = changes();
        time_zone const where(zone);
        for (int round = 0; round < 50; ++round) {
            auto const job = random.expression();
            auto from = static_cast<seconds_t>(random.between(1'704'067'200, 2'100'000'000));
            if (!turns.empty() && random.between(0, 3) != 0)
                from = turns[static_cast<std::size_t>(random.between(0, static_cast<int>(turns.size()) - 1))] +
                       random.between(-20'000, 10'000);
            seconds_t const span = job.with_seconds ? 40'000 : 40 * 86'400;
            INFO("zone " << zone << ", expression " << job.text << ", from " << show(from));

            std::optional<cron> parsed;
            try {
                parsed = cron::parse(job.text);
            } catch (invalid_input const& wrong) {
                REQUIRE(std::string{wrong.what()}.find("it never fires: no month that it admits") != std::string::npos);
                REQUIRE_FALSE(naive_first(job, from, span));
                continue;
            }
            auto const found = first_firing(*parsed, where, from_micros(from * 1'000'000 - random.between(0, 999'999)));
            auto in_span = found ? std::optional{to_micros(*found) / 1'000'000} : std::nullopt;
            if (in_span && *in_span >= from + span)
                in_span.reset();
            REQUIRE(show(in_span) == show(naive_first(job, from, span)));
        }
    }
}

} // namespace cron_firings_oracle_test
