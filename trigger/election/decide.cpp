#include "trigger/election/decide.hpp"

#include <array>

namespace baton::trigger {

std::string_view to_string(verdict which)
{
    static constexpr std::array<std::string_view, 4> names{"PROMOTED", "STAY", "LEAVE", "UNKNOWN"};
    return names[static_cast<std::size_t>(which)];
}

observation observe(observation const& seen, lease::lease_row const& row, instant now)
{
    bool const same = seen.epoch == row.epoch && seen.renew_seq == row.renew_seq && seen.since != instant{};
    return same ? seen : observation{row.epoch, row.renew_seq, now};
}

instant watched_enough(observation const& seen, lease::lease_row const& row)
{
    return seen.since + stretched(row.ttl);
}

decision decide(lease::lease_row const& row, std::string const& self, std::int64_t held, observation const& seen,
                instant now, std::int64_t ended)
{
    bool const ours = row.owner == self;
    if (held != 0) {
        if (ours && row.epoch == held)
            return {move::renew, verdict::stay, verdict::leave, held, "the lease is ours"};
        return {move::none, verdict::leave, verdict::leave, held, "the row shows another owner or epoch"};
    }
    if (ours && row.epoch > ended)
        return {move::confirm, verdict::promoted, verdict::unknown, row.epoch, "a seizure whose answer was lost"};
    if (!row.owner)
        return {move::seize, verdict::promoted, verdict::unknown, row.epoch + 1, "the lease is free"};
    if (!row.expired)
        return {move::none, verdict::unknown, verdict::unknown, row.epoch, "the holder renewed in time"};
    if (now < watched_enough(seen, row))
        return {move::none, verdict::unknown, verdict::unknown, row.epoch,
                "expired by the database's clock, not yet by our own"};
    return {move::seize, verdict::promoted, verdict::unknown, row.epoch + 1, "the lease has expired"};
}

char const* why_refused(move act, lease::lease_row const& read)
{
    if (act == move::seize)
        return "another node seized or renewed the lease first";
    if (read.expired) // as after an outage, in which this node could not renew
        return "the lease had expired before it was renewed";
    return "the lease expired, or another node took it, just before it was renewed";
}

handover_decision decide_handover(lease::guard_store::guarded_row const& seen, std::string const& self, instant granted,
                                  instant now, bool proves_end)
{
    auto const& row = seen.row;
    if (!row.owner || row.owner == self)
        return {handover::vacant, now};
    if (!seen.armed_here || (!proves_end && row.guard <= 0s))
        return {handover::release, now};
    auto const ripe = proves_end ? granted : granted + stretched(row.guard) + 1ms;
    return {now < ripe ? handover::wait : handover::seize, ripe};
}

} // namespace baton::trigger
