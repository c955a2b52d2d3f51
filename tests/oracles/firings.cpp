// Prints the firings of cron expressions, for scripts/cron-oracles. Each line of standard input has, divided by tabs:
//
//     dialect  expression  zone  from  until  limit  [gap  overlap]       times in seconds since 1970
//
// and is answered by a line: the firings in [from, until), at most `limit`, divided by blanks; or "refused: why".

#include "libs/base/error.hpp"
#include "libs/schedule/schedule.hpp"

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace baton;

std::vector<std::string> columns_of(std::string const& line)
{
    std::vector<std::string> columns;
    std::istringstream text(line);
    for (std::string column; std::getline(text, column, '\t');)
        columns.push_back(column);
    return columns;
}

std::string answer(std::vector<std::string> const& asked)
{
    protocol::schedule_spec spec{.kind = protocol::schedule_kind::cron, .cron = asked.at(1), .zone = asked.at(2)};
    spec.rules.dialect = protocol::parse<protocol::cron_dialect>(asked.at(0), "dialect");
    if (asked.size() > 7) {
        spec.rules.gap = protocol::parse<protocol::gap_policy>(asked.at(6), "gap");
        spec.rules.overlap = protocol::parse<protocol::overlap_policy>(asked.at(7), "overlap");
    }
    schedule::timetable const times(spec, utc_time{});
    auto const from = utc_time{std::chrono::seconds{std::stoll(asked.at(3))}};
    auto const until = utc_time{std::chrono::seconds{std::stoll(asked.at(4))}};
    std::string text;
    for (auto const at : times.between(from, until, std::stoull(asked.at(5))))
        text.append(text.empty() ? "" : " ").append(std::to_string(at.time_since_epoch() / 1s));
    return text;
}

} // namespace

int main()
{
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        try {
            std::cout << answer(columns_of(line)) << '\n';
        } catch (invalid_input const& wrong) {
            std::cout << "refused: " << wrong.field() << ": " << wrong.what() << '\n';
        }
    }
}
