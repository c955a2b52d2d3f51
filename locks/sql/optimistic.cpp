#include "locks/include/baton/lock/optimistic.hpp"

#include "libs/base/process.hpp"
#include "libs/base/random.hpp"
#include "libs/storage/detail.hpp"

#include <algorithm>

namespace baton::lock {

namespace {

// Thrown through a transaction to roll it back.
struct not_changed {
    compared result;
};

class retry_pauses {
public:
    explicit retry_pauses(optimistic_options const& options) : options_(options), next_(options.first_pause) {}

    // Pauses before another try. False if no tries are left.
    bool again()
    {
        if (++tries_ >= options_.tries)
            return false;
        block_thread(duration{static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(next_.count()) + 1))});
        next_ = std::min<duration>(next_ * 2, options_.longest_pause);
        return true;
    }

private:
    optimistic_options const& options_;
    duration next_;
    int tries_ = 0;
    seeded_random random_{entropy()};
};

} // namespace

optimistic_result update_optimistically(soci::session& session, std::function<compared(soci::session&)> const& attempt,
                                        optimistic_options options)
{
    retry_pauses pauses(options);
    auto const work = [&](soci::session& sql) {
        auto const result = attempt(sql);
        if (result != compared::changed)
            throw not_changed{result};
    };
    bool gave_up = false;
    auto const after_conflict = [&](int) {
        bool const again = pauses.again();
        gave_up = !again;
        return again;
    };
    for (;;) {
        bool begun = false;
        try {
            storage::run_job(session, work, true, after_conflict, begun);
            return optimistic_result::changed;
        } catch (not_changed const& thrown) {
            if (thrown.result == compared::refused)
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
        if (!pauses.again())
            return optimistic_result::gave_up;
    }
}

} // namespace baton::lock
