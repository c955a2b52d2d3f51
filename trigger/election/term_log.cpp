#include "trigger/election/term_log.hpp"

#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"

#include <utility>

namespace baton::trigger {

namespace {

constexpr duration write_again = 1s; // after a failure

struct wording {
    char const* how;
    char const* predecessor; // why its term ended, unless it has written that
};

wording words_for(succession::way how)
{
    switch (how) {
    case succession::way::free:
        return {"free", "it gave up the lease"};
    case succession::way::expired:
        return {"expired", "its lease expired"};
    case succession::way::guard:
        break;
    }
    return {"guard", "its session ended"};
}

} // namespace

term_log::term_log(identity self, storage::database& deciding, storage::database& shared, time_source& time,
                   cluster_clock& clock)
    : terms_(deciding, shared), time_(time), clock_(clock)
{
    present_.owner = std::move(self.incarnation);
    present_.node = std::move(self.name);
}

void term_log::won(succession const& by)
{
    auto const words = words_for(by.how);
    present_.how = words.how;
    present_.predecessor = words.predecessor;
    present_.led_until.reset();
    if (by.led_until != instant{})
        present_.led_until = at(by.led_until);
    present_.began_at = clock_.now();
}

void term_log::acts()
{
    present_.acting_at = clock_.now();
    present_.replayed = 0;
}

awaitable<void> term_log::write_begin(storage::fence mine)
{
    auto const what = present_;
    for (;;) {
        try {
            co_await terms_.begin(mine, what);
            co_return;
        } catch (unavailable const& reason) {
            log::outage(reason, "term", "logging the beginning of the term failed, trying again in 1 s",
                        {log::reason(reason.what()), {"epoch", mine.epoch}});
        } catch (not_master const&) {
            co_return; // the parts that decide notice it by themselves
        } catch (boost::system::system_error const&) {
            throw; // cancelled
        } catch (std::exception const& reason) {
            log::error("term", "logging the beginning of the term failed, it will be missing",
                       {log::reason(reason.what()), {"epoch", mine.epoch}});
            co_return;
        }
        co_await time_.sleep_for(write_again);
    }
}

awaitable<void> term_log::write_end(storage::fence mine, instant last, std::string why)
{
    auto const ended_at = at(last);
    try {
        co_await terms_.end(mine, ended_at, why);
    } catch (unavailable const& reason) {
        log::warn("term", "logging the end of the term failed, it will be missing",
                  {log::reason(reason.what()), {"epoch", mine.epoch}});
    }
}

} // namespace baton::trigger
