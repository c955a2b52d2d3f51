#include "trigger/election/election_proxy.hpp"

#include <algorithm>

namespace baton::trigger {

election_proxy::election_proxy(elector& election, loop_ref electing, loop_ref working)
    : election_(election), electing_(std::move(electing)), working_(std::move(working))
{
    election_.on_row([this](lease::lease_row const& row, instant asked, instant answered) {
        working_.post([this, row, asked, answered] { note(row, asked, answered); });
    });
    election_.on_end([this] {
        working_.post([this, why = election_.why_ended(), released = election_.released()] {
            why_ended_ = why;
            released_ = released;
        });
    });
}

void election_proxy::note(lease::lease_row const& row, instant asked, instant answered)
{
    row_ = row;
    if (on_row_)
        on_row_(row, asked, answered);
}

awaitable<void> election_proxy::run(elector::duty duty)
{
    elector::duty const term = [this, &duty](std::int64_t epoch) { return lead(epoch, duty); };
    std::function<awaitable<void>()> const all = [this, &term] { return election_.run(term); };
    co_await run_on(electing_, working_, all);
}

awaitable<void> election_proxy::lead(std::int64_t epoch, elector::duty const& duty)
{
    std::function<awaitable<void>()> const term = [this, &duty, epoch, by = election_.began_by()] {
        began_by_ = by;
        why_ended_.clear();
        return duty(epoch);
    };
    co_await run_on(working_, electing_, term);
}

void election_proxy::stop()
{
    electing_.post([this] { election_.stop(); });
}

void election_proxy::superseded(std::int64_t epoch, std::string const& source)
{
    bool const voids = election_.supersede(epoch);
    if (!voids && epoch <= told_)
        return;
    told_ = std::max(told_, epoch);
    electing_.post([this, epoch, source] { election_.superseded(epoch, source); });
}

void election_proxy::look()
{
    electing_.post([this] { election_.look(); });
}

} // namespace baton::trigger
