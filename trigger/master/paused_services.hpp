#pragma once

#include "libs/base/loop.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/pause_book.hpp"
#include "trigger/master/term_scope.hpp"

#include <deque>
#include <functional>
#include <vector>

namespace baton::trigger {

// Keeps what is due of paused services until they are resumed, and skips the firings that a pause skips. Nothing walks
// what is kept before the end of its pause. Part of a term.
class paused_services {
public:
    static constexpr duration remembered = 24h * 7; // of a pause that skipped firings, after its end

    // Keeps `book` up to date.
    paused_services(term_scope const& scope, pause_book& book, attempts& next)
        : scope_(scope), book_(book), next_(next), bell_(scope.loop)
    {}

    // Before the term acts. Throws `unavailable`.
    awaitable<void> read();
    // The pauses as the ledger had them after `asked`, when they were read. A reading that began before the last one
    // that counted does not count.
    void learn(std::vector<protocol::pause> const& all, instant asked);

    // True if this due execution must not be sent: it is kept here, or skipped. Never one that is forced.
    bool keep(open_execution& one);
    // True if nothing of the service may be sent but what is forced. Its end is told to on_resume.
    bool blocks(protocol::service_view service);

    // Called with each service that was blocked or had something kept here, when its pause has ended.
    void on_resume(std::function<void(protocol::service_view)> watcher) { resumed_ = std::move(watcher); }

    awaitable<void> run();

private:
    awaitable<void> watch();
    awaitable<void> release();
    void resume(protocol::service_key const& service);

    term_scope scope_;
    pause_book& book_;
    attempts& next_;
    protocol::service_map<std::deque<execution_id>> kept_; // of services in a pause
    std::deque<execution_id> to_release_;
    instant asked_ = instant::min(); // of the last reading that counted
    std::function<void(protocol::service_view)> resumed_;
    waker bell_;
};

} // namespace baton::trigger
