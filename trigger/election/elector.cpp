#include "trigger/election/elector.hpp"

#include "libs/base/log.hpp"
#include "trigger/election/stuck_watch.hpp"

namespace baton::trigger {

using namespace asio::experimental::awaitable_operators;

std::string_view to_string(standing which)
{
    switch (which) {
    case standing::none:
        return "none";
    case standing::active:
        return "active";
    case standing::suspended:
        return "suspended";
    case standing::lost:
        break;
    }
    return "lost";
}

elector::elector(election_settings settings, identity self, dependencies deps, asio::any_io_executor loop)
    : settings_(std::move(settings)), self_(std::move(self)), deps_(deps), loop_(loop), bell_(loop), end_bell_(loop)
{}

void elector::guard_by(lease::guard_store& store, guard_settings settings)
{
    guard_ = std::make_unique<guard>(settings, self_.incarnation, guard::dependencies{store, mastership_, deps_.time},
                                     loop_, calls_of_guard());
}

awaitable<void> elector::run(duty lead)
{
    co_await deps_.time.sleep_for(settings_.initial_delay);
    if (guard_)
        co_await (vote_to_the_end(lead) || supervised("the guard", guard_->run()) ||
                  supervised("the watch over the working loop", watch_progress()));
    else
        co_await (vote(lead) || supervised("the watch over the working loop", watch_progress()));
}

awaitable<void> elector::watch_progress()
{
    if (!progress_) {
        waker never(loop_);
        co_await never.wait();
    }
    stuck_watch watch(settings_.stuck);
    for (;;) {
        bool const stuck = watch.stuck(progress_(), deps_.time.now());
        if (stuck && !stuck_) {
            log::error("election", "the working loop stands still, this node does not lead until it goes on",
                       {{"ms", settings_.stuck / 1ms}});
            stuck_ = true;
            end_term("the working loop stood still");
        } else if (!stuck && stuck_) {
            log::warn("election", "the working loop goes on", {});
            stuck_ = false;
        }
        co_await deps_.time.sleep_for(settings_.stuck / 20);
    }
}

void elector::stop()
{
    stopping_ = true;
    if (mastership_.epoch() != 0)
        note_end("a clean stop");
    bell_.wake();
    end_bell_.wake();
}

void elector::superseded(std::int64_t epoch, std::string const& source)
{
    heard_ = std::max(heard_, epoch);
    auto const mine = mastership_.epoch();
    if (mine != 0 && epoch > mine)
        end_term(source + " knows epoch " + std::to_string(epoch));
}

void elector::end_term(std::string why)
{
    auto const mine = mastership_.epoch();
    if (mine == 0)
        return;
    lose(why);
    cut_short_ = true;
    log::warn("election", "LEAVE, the term of this node is over", {log::reason(why), {"epoch", mine}});
    end_bell_.wake();
}

void elector::lose(std::string why)
{
    ended_ = std::max(ended_, mastership_.epoch());
    mastership_.lose(); // first, so that no action follows
    note_end(std::move(why));
    if (deadman_ != nullptr)
        deadman_->arm(settings_.grace, "a lost term of mastership did not drain within its grace");
    auto const now = deps_.time.now();
    trust("lost", now, now);
}

void elector::note_end(std::string why)
{
    why_ended_ = std::move(why);
    if (on_end_)
        on_end_();
}

awaitable<verdict> elector::tick()
{
    auto const before = mastership_.epoch();
    auto const asked = deps_.time.now();
    auto const row = co_await deps_.lease.poll();
    auto const answered = deps_.time.now();
    row_ = row;
    row_at_ = answered;
    seen_ = observe(seen_, row, answered);
    if (on_row_)
        on_row_(row, asked, answered);
    if (mastership_.epoch() != before) // meanwhile the guard won a term, or a term was cut short
        co_return verdict::unknown;
    auto const what = decide(row, self_.incarnation, before, seen_, answered, ended_);
    co_return co_await act(row, what);
}

awaitable<verdict> elector::act(lease::lease_row row, decision what)
{
    if (stuck_ && (what.act == move::seize || what.act == move::confirm)) {
        report(verdict::unknown, row.epoch, "the working loop stands still");
        co_return verdict::unknown;
    }
    auto const asked = deps_.time.now(); // before sending: the lease is trusted from here
    bool matched = true;
    if (what.act == move::seize) {
        auto const seizure = make_seizure(row);
        what.epoch = seizure.new_epoch;
        last_seizure_ = {what.epoch, succession_to(row, row_at_)};
        matched = co_await deps_.lease.seize(seizure);
    } else if (what.act == move::renew || what.act == move::confirm) {
        matched = co_await deps_.lease.renew(self_.incarnation, what.epoch);
    }
    auto const outcome = matched ? what.if_matched : what.if_refused;
    if (!matched)
        what.reason = why_refused(what.act, row);
    settle(outcome, row, what, asked);
    co_return outcome;
}

void elector::settle(verdict outcome, lease::lease_row const& row, decision const& what, instant asked)
{
    auto const mine = mastership_.epoch();
    if (outcome == verdict::promoted && term_ == 0 && what.epoch > ended_) {
        // This seizure has cleared the guard's mark. A mark that a confirmation finds may be of a seizure of ours whose
        // answer was lost: it binds until this node holds the guard.
        bool const bound = what.act == move::confirm && row.guard_conn != 0;
        mastership_.guard(bound ? instant{} : mastership::unguarded);
        auto const by = what.act == move::confirm ? how_confirmed(row, what.epoch) : succession_to(row, row_at_);
        auto const ttl = what.act == move::confirm ? row.ttl : settings_.ttl;
        promote(what.epoch, asked, ttl, by, what.reason);
        return;
    }
    if (outcome == verdict::promoted) // the guard won that term meanwhile, and maybe lost it
        outcome = mine != 0 ? verdict::stay : verdict::unknown;
    if (outcome == verdict::leave && mine != 0) {
        lose(what.reason);
    } else if (outcome == verdict::stay && mine == what.epoch) {
        mastership_.extend(what.epoch, asked, row.ttl,
                           settings_.margin); // the row holds the ttl in force, the setting may have changed
        trust("renew", asked, deps_.time.now());
    }
    report(outcome, what.epoch, what.reason);
}

succession elector::how_confirmed(lease::lease_row const& row, std::int64_t epoch) const
{
    return last_seizure_.epoch == epoch ? last_seizure_.by : succession_of_term_found(row);
}

void elector::promote(std::int64_t epoch, instant asked, duration ttl, succession by, char const* reason)
{
    term_ = epoch;
    cut_short_ = false;
    began_by_ = by;
    why_ended_.clear();
    mastership_.extend(epoch, asked, ttl, settings_.margin);
    trust(by.how == succession::way::guard ? "guard_seize" : "seize", asked, deps_.time.now());
    report(verdict::promoted, epoch, reason);
    if (guard_)
        guard_->term_began();
}

lease::seizure elector::make_seizure(lease::lease_row const& row) const
{
    lease::seizure seizure;
    seizure.owner = self_.incarnation;
    seizure.address = self_.address;
    seizure.ttl = settings_.ttl;
    seizure.seen_epoch = row.epoch;
    seizure.seen_seq = row.renew_seq;
    seizure.new_epoch = next_epoch(settings_.epochs, row, heard_);
    return seizure;
}

guard::election elector::calls_of_guard()
{
    guard::election calls;
    calls.may_be_elected = [this] { return !stuck_ && !is_resting(); };
    calls.look = [this] { bell_.wake(); };
    calls.make_seizure = [this](lease::lease_row const& row) { return make_seizure(row); };
    calls.promoted = [this](lease::seizure const& seizure, std::string const& from, instant asked, instant guarded,
                            instant ended) {
        if (mastership_.epoch() == seizure.new_epoch) { // a tick read it from the row before the answer came
            mastership_.guard(guarded);
            trust("guard_ping", asked, deps_.time.now());
            return true;
        }
        if (term_ != 0 || seizure.new_epoch <= ended_)
            return false;
        mastership_.guard(guarded);
        promote(seizure.new_epoch, asked, seizure.ttl, {succession::way::guard, ended, false, from},
                "the master's session has ended");
        bell_.wake(); // ends stand()
        return true;
    };
    calls.trust = [this](std::string_view by, instant asked, instant answered) { trust(by, asked, answered); };
    calls.forfeit = [this](std::string const& why) {
        forfeited_ = true;
        end_term(why);
    };
    return calls;
}

void elector::trust(std::string_view by, instant asked, instant answered)
{
    if (on_trust_)
        on_trust_({by, by == "lost" ? ended_ : mastership_.epoch(), asked, answered, mastership_.lease_until(),
                   mastership_.guard_until()});
}

void elector::report(verdict what, std::int64_t epoch, char const* reason)
{
    bool const news = what != last_ || what == verdict::promoted;
    last_ = what;
    if (news)
        log::info("election", to_string(what), {log::reason(reason), {"epoch", epoch}});
    else
        log::debug("election", to_string(what), {log::reason(reason), {"epoch", epoch}});
    if (on_event_)
        on_event_({what, epoch, reason});
}

instant elector::next_tick()
{
    auto const now = deps_.time.now();
    // Jitter only shortens the pause, so nodes that started together drift apart and no tick comes late.
    auto const shortened = duration{
        static_cast<std::int64_t>(deps_.random.below(static_cast<std::uint64_t>(settings_.tick.count()) / 10 + 1))};
    auto at = now + settings_.tick - shortened;
    if (mastership_.epoch() == 0 && row_ && row_->owner && *row_->owner != self_.incarnation)
        if (auto const ripe = watched_enough(seen_, *row_); ripe > now)
            at = std::min(at, ripe);
    return at;
}

} // namespace baton::trigger
