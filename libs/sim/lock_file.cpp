#include "libs/sim/lock_file.hpp"

#include "libs/base/error.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <string>

namespace baton::sim {

namespace {

struct file {
    std::uint64_t number;
    bool locked = false;
};

// The lock that a process holds on a file. The kernel releases it when the process dies.
struct hold {
    std::shared_ptr<file> locked_file{};

    void end()
    {
        if (locked_file)
            locked_file->locked = false;
        locked_file.reset();
    }
};

} // namespace

struct lock_file::state {
    trace& log;
    seeded_random random;
    std::shared_ptr<file> named{}; // the file with the name
    std::weak_ptr<file> removed{}; // the file that had the name before
    std::uint64_t removed_number = 0;
    std::uint64_t last_number = 0;
    bool refused = false;

    std::shared_ptr<file> const& open()
    {
        if (!named) {
            bool const again = removed_number != 0 && removed.expired() && random.below(2) == 0;
            named = std::make_shared<file>(file{again ? removed_number : ++last_number});
        }
        return named;
    }
};

class lock_file::handle final : public exclusive_lock {
public:
    handle(std::shared_ptr<state> state, host& process) : state_(std::move(state)), process_(process)
    {
        process.when_killed([held = held_] { held->end(); });
    }
    ~handle() override { held_->end(); }

    bool try_lock() override
    {
        if (!process_.alive())
            throw boost::system::system_error(asio::error::operation_aborted);
        if (locked())
            return true;
        if (state_->refused)
            throw unavailable("lock file: it cannot be opened");
        auto const& found = state_->open();
        if (found->locked)
            return false;
        found->locked = true;
        held_->locked_file = found;
        state_->log.note(process_.name() + " locks file " + identity());
        return true;
    }

    void unlock() override
    {
        if (locked())
            state_->log.note(process_.name() + " unlocks file " + identity());
        held_->end();
    }

    bool locked() const override { return held_->locked_file != nullptr; }
    std::string identity() const override
    {
        return locked() ? std::to_string(held_->locked_file->number) : std::string();
    }

private:
    std::shared_ptr<state> state_;
    host& process_;
    std::shared_ptr<hold> held_ = std::make_shared<hold>();
};

lock_file::lock_file(trace& log, std::uint64_t seed) : state_(std::make_shared<state>(state{log, seeded_random(seed)}))
{}

lock_file::~lock_file() = default;

std::unique_ptr<exclusive_lock> lock_file::open_by(host& process)
{
    return std::make_unique<handle>(state_, process);
}

void lock_file::remove()
{
    if (!state_->named)
        return;
    state_->log.note("the lock file is removed");
    state_->removed_number = state_->named->number;
    state_->removed = state_->named;
    state_->named.reset();
}

void lock_file::refuse(bool refused)
{
    state_->refused = refused;
    state_->log.note(refused ? "the lock file cannot be opened" : "the lock file can be opened again");
}

} // namespace baton::sim
