#pragma once

#include "libs/base/backoff.hpp"
#include "libs/base/task_group.hpp"
#include "trigger/delivery/local_master.hpp"
#include "trigger/master/term.hpp"

#include <exception>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

namespace baton::trigger {

// The parts of a term run side by side and fail alone: the failure of one is logged with its cause, and it starts again
// after a pause that grows while it fails. The term ends by a part only if a newer master has raised the fence, or if
// a part fails that cannot start again. On the loop only.
class term_parts {
public:
    using work = std::function<awaitable<void>()>;

    // A part that failed works again once it has run for so long.
    static constexpr duration well = 30s;

    term_parts(term& of, asio::any_io_executor loop) : term_(of), group_(loop), bell_(loop) {}

    // `run` can be called again after it threw: what its failed step touched is still in its queue or in the ledger.
    void add(char const* name, work run) { put(name, std::move(run), true); }
    // A failed step may leave an execution in no queue, so only the next term can go on with it.
    void add_irreplaceable(char const* name, work run) { put(name, std::move(run), false); }

    // Runs the parts until it is cancelled or all have returned. Returns false if a newer master has raised the fence;
    // throws `part_failed`.
    awaitable<bool> run();

    // Those that do not work, in the order in which they were added.
    std::vector<part_trouble> troubles() const;
    std::optional<part_trouble> trouble_of(std::string const& name) const;

private:
    struct part {
        char const* name;
        work run;
        bool restarts;
        backoff pauses;
        instant began{};
        bool runs = false; // and does not pause
        std::optional<part_trouble> trouble{};
    };

    void put(char const* name, work run, bool restarts);
    awaitable<void> wait();
    awaitable<void> keep(part& one);
    awaitable<std::exception_ptr> attempt(part& one);
    bool ends_term(part const& one, std::exception_ptr const& failure);
    duration note_failure(part& one, std::string const& cause);
    instant note_recoveries();

    term& term_;
    std::list<part> parts_;
    std::size_t running_ = 0;
    bool ending_ = false;
    bool fence_raised_ = false;
    std::exception_ptr failure_; // that ends the term
    task_group group_;
    waker bell_;
};

// A part of the master failed that cannot start again.
class part_failed : public std::exception {
public:
    part_failed(std::string const& part, std::string const& cause) : why_("the part \"" + part + "\" failed: " + cause)
    {}
    char const* what() const noexcept override { return why_.c_str(); }

private:
    std::string why_;
};

} // namespace baton::trigger
