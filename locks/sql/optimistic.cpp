#include "locks/include/baton/lock/optimistic.hpp"

#include "libs/base/process.hpp"
#include "libs/base/random.hpp"
#include "libs/storage/detail.hpp"

#include <algorithm>

namespace baton::lock {

namespace {

// Thrown through a transaction, to roll it back.
struct not_changed {
    compared why;
};

class pauses {
public:
    explicit pauses(optimistic_options const& how) : how_(how), next_(how.first_pause) {}

    // False when there were tries enough.
    bool again()
    {
        if (++tries_ >= how_.tries)
            return false;
        block_thread(duration{static_cast<std::int64_t>(chance_.below(static_cast<std::uint64_t>(next_.count()) + 1))});
        next_ = std::min<duration>(next_ * 2, how_.longest_pause);
        return true;
    }

private:
    optimistic_options const& how_;
    duration next_;
    int tries_ = 0;
    seeded_random chance_{entropy()};
};

} // namespace

optimistic_result update_optimistically(soci::session& session, std::function<compared(soci::session&)> const& attempt,
                                        optimistic_options options)
{
    pauses pause(options);
    auto const work = [&](soci::session& sql) {
        auto const how = attempt(sql);
        if (how != compared::changed)
            throw not_changed{how};
    };
    bool gave_up = false;
    auto const after_conflict = [&](int) {
        bool const again = pause.again();
        gave_up = !again;
        return again;
    };
    for (;;) {
        bool begun = false;
        try {
            storage::run_job(session, work, true, after_conflict, begun);
            return optimistic_result::changed;
        } catch (not_changed const& what) {
            if (what.why == compared::refused)
                return optimistic_result::refused;
        } catch (unavailable const& failure) {
            if (gave_up)
                return optimistic_result::gave_up;
            throw std::system_error(make_error_code(lock_errc::unavailable), failure.what());
        } catch (storage::already_exists const& failure) {
            throw std::system_error(make_error_code(lock_errc::unavailable), failure.what());
        } catch (invalid_input const& failure) {
            throw std::system_error(make_error_code(lock_errc::unavailable), failure.what());
        }
        if (!pause.again())
            return optimistic_result::gave_up;
    }
}

} // namespace baton::lock
