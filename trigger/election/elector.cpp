#include "trigger/election/elector.hpp"

#include "libs/base/log.hpp"

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

elector::elector(election_settings how, identity self, lock::lease_store& lease, time_source& time,
                 random_source& random, asio::any_io_executor loop)
    : how_(std::move(how)),
      self_(std::move(self)),
      lease_(lease),
      time_(time),
      random_(random),
      bell_(loop),
      end_bell_(loop)
{}

awaitable<void> elector::run(duty lead)
{
    co_await time_.sleep_for(how_.initial_delay);
    while (!stopping_) {
        co_await stand();
        if (mastership_.epoch() == 0)
            continue;
        // Whichever ends first ends the term: the duty, the lease, or the word from outside.
        superseded_ = false;
        co_await (serve(lead) || supervised("the renewal", hold()) || supervised("the watch over the term", watch()) ||
                  await_end());
        if (deadman_ != nullptr)
            deadman_->disarm();
        co_await give_up();
    }
}

void elector::stop()
{
    stopping_ = true;
    bell_.wake();
    end_bell_.wake();
}

void elector::superseded(std::int64_t epoch, std::string const& who)
{
    auto const mine = mastership_.epoch();
    if (mine == 0 || epoch <= mine)
        return;
    lose();
    superseded_ = true;
    log::warn("election: LEAVE epoch={} reason=\"{} knows epoch {}\"", mine, who, epoch);
    end_bell_.wake();
}

void elector::lose()
{
    ended_ = std::max(ended_, mastership_.epoch());
    mastership_.lose(); // first, so that no act comes after it
    if (deadman_ != nullptr)
        deadman_->arm(how_.grace, "a lost term of mastership did not drain within its grace");
}

awaitable<void> elector::stand()
{
    bool ensured = false;
    while (!stopping_ && mastership_.epoch() == 0) {
        try {
            if (!ensured)
                co_await lease_.ensure();
            ensured = true;
            co_await tick();
        } catch (unavailable const& failure) {
            report(verdict::unknown, 0, failure.what());
        }
        if (mastership_.epoch() != 0)
            co_return;
        co_await bell_.wait_until(time_, next_tick());
    }
}

awaitable<void> elector::hold()
{
    while (mastership_.epoch() != 0) {
        co_await bell_.wait_until(time_, next_tick());
        verdict outcome = verdict::unknown;
        try {
            outcome = co_await tick();
        } catch (unavailable const& failure) {
            // Neither renewed nor lost: the old deadline stands.
            log::warn("election: no renewal of epoch {}: {}", mastership_.epoch(), failure.what());
        }
        if (outcome == verdict::leave)
            co_return;
    }
}

awaitable<void> elector::serve(duty const& lead)
{
    auto const epoch = mastership_.epoch();
    co_await supervised("the term of mastership", lead(epoch));
}

awaitable<void> elector::await_end()
{
    while (!stopping_ && !superseded_)
        co_await end_bell_.wait();
}

awaitable<void> elector::watch()
{
    auto const epoch = mastership_.epoch();
    for (;;) {
        while (mastership_.at(time_.now()) == standing::active)
            co_await time_.sleep_until(mastership_.deadline());
        log::warn("election: suspended epoch={}: no renewal was acknowledged in time", epoch);
        while (mastership_.at(time_.now()) != standing::active) {
            if (mastership_.epoch() == 0)
                co_return;
            co_await time_.sleep_for(10ms);
        }
        log::info("election: resumed epoch={}", epoch);
    }
}

awaitable<void> elector::give_up()
{
    auto const epoch = mastership_.epoch();
    ended_ = std::max(ended_, epoch);
    mastership_.lose();
    if (epoch == 0)
        co_return;
    try {
        bool const released = co_await lease_.release(self_.incarnation, epoch);
        log::info("election: epoch {} {}", epoch, released ? "released" : "was over already");
    } catch (unavailable const& failure) {
        log::warn("election: epoch {} not released, it will expire: {}", epoch, failure.what());
    }
}

awaitable<verdict> elector::tick()
{
    auto const asked = time_.now();
    auto const row = co_await lease_.poll();
    auto const answered = time_.now();
    row_ = row;
    row_at_ = answered;
    seen_ = observe(seen_, row, answered);
    if (on_row_)
        on_row_(row, asked, answered);
    auto const what = decide(row, self_.incarnation, mastership_.epoch(), seen_, answered, ended_);
    co_return co_await act(row, what);
}

awaitable<verdict> elector::act(lock::lease_row row, decision what)
{
    auto const asked = time_.now(); // before sending: what the lease is trusted from
    bool matched = true;
    duration ttl = how_.ttl;
    if (what.act == move::seize) {
        lock::seizure bid;
        bid.owner = self_.incarnation;
        bid.address = self_.address;
        bid.ttl = how_.ttl;
        bid.seen_epoch = row.epoch;
        bid.seen_seq = row.renew_seq;
        bid.new_epoch = what.epoch;
        matched = co_await lease_.seize(bid);
    } else if (what.act == move::renew || what.act == move::confirm) {
        ttl = row.ttl; // as the row has it, in case the setting changed
        matched = co_await lease_.renew(self_.incarnation, what.epoch);
    }
    auto const outcome = matched ? what.if_matched : what.if_refused;
    if (outcome == verdict::leave)
        lose();
    else if (outcome == verdict::promoted || (outcome == verdict::stay && mastership_.epoch() == what.epoch))
        mastership_.extend(what.epoch, asked, ttl, how_.margin);
    report(outcome, what.epoch, matched ? what.reason : "another was quicker, or the lease had expired");
    co_return outcome;
}

void elector::report(verdict what, std::int64_t epoch, char const* reason)
{
    bool const news = what != last_ || what == verdict::promoted;
    last_ = what;
    if (news)
        log::info("election: {} epoch={} reason=\"{}\"", to_string(what), epoch, reason);
    else
        log::debug("election: {} epoch={} reason=\"{}\"", to_string(what), epoch, reason);
    if (on_event_)
        on_event_({what, epoch, reason});
}

instant elector::next_tick()
{
    auto const now = time_.now();
    // Jitter only shortens: nodes that started together drift apart, and no tick comes late.
    auto const shortened =
        duration{static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(how_.tick.count()) / 10 + 1))};
    auto at = now + how_.tick - shortened;
    if (mastership_.epoch() == 0 && row_ && row_->owner && *row_->owner != self_.incarnation)
        if (auto const ripe = watched_enough(seen_, *row_); ripe > now)
            at = std::min(at, ripe);
    return at;
}

} // namespace baton::trigger
