#pragma once

#include "libs/base/loop.hpp"
#include "libs/protocol/service_settings.hpp"
#include "trigger/master/term_scope.hpp"

#include <functional>
#include <vector>

namespace baton::trigger {

// Knows the settings of services and projects: reads them when a signal says that they have changed, and once a second
// anyway. Part of a term.
class settings_watch {
public:
    using list = std::vector<protocol::scope_settings>;

    explicit settings_watch(term_scope const& scope) : scope_(scope) {}

    // Before the term acts. Throws `unavailable`.
    awaitable<void> read();
    // The settings as the ledger had them after `asked`, when they were read. A reading that began before the last one
    // that counted does not count.
    void learn(list const& all, instant asked);

    // Called with all settings when some have changed.
    void on_change(std::function<void(list const&)> watcher) { changed_ = std::move(watcher); }

    awaitable<void> run();

private:
    term_scope scope_;
    list known_;
    instant asked_ = instant::min(); // of the last reading that counted
    std::function<void(list const&)> changed_;
};

} // namespace baton::trigger
