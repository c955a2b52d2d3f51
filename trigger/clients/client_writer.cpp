#include "trigger/clients/client_writer.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"
#include "libs/base/overloaded.hpp"

#include <algorithm>
#include <iterator>

namespace baton::trigger {

namespace {

constexpr duration try_later = 2s;        // asked of refused clients; they add as much again, drawn at random
constexpr duration between_groups = 10ms; // so that a group has more than the one row that came first
constexpr duration first_write_pause = 100ms;
constexpr duration longest_write_pause = 1s;
constexpr duration say_full_again = 10s;
constexpr std::size_t bytes_beside_texts = 200; // of a row in a statement

std::size_t bytes_of(storage::client_write const& one)
{
    auto const& row = one.row;
    auto bytes = bytes_beside_texts + row.instance.size() + row.project.size() + row.service.size() +
                 row.address.size() + row.secret.size() + row.version.size() + row.node.size();
    for (auto const& handler : row.handlers)
        bytes += handler.size() + 3;
    return bytes;
}

overloaded caller_gone()
{
    return overloaded("the caller has gone", try_later);
}

} // namespace

struct client_writer::entry {
    enum class phase { waiting, taken, ended };

    entry(storage::client_write what, asio::any_io_executor loop)
        : row(std::move(what)), bytes(bytes_of(row)), bell(std::move(loop))
    {}

    storage::client_write row;
    std::size_t bytes;
    filter wanted{};
    bool own = false; // work of the node itself
    phase at = phase::waiting;
    std::string owner{};
    queue::place place{};
    storage::client_written answer{};
    std::exception_ptr failure{};
    waker bell;
};

bool fits(write_size const& group, std::size_t bytes, write_limits const& limits)
{
    return group.rows == 0 || (group.rows < limits.rows && group.bytes + bytes <= limits.bytes);
}

bool may_wait(write_size const& all, std::size_t mine, std::size_t services, std::size_t bytes,
              write_limits const& limits)
{
    if (all.rows >= limits.waiting_rows || all.bytes + bytes > limits.waiting_bytes)
        return false;
    bool const crowded = 2 * all.rows >= limits.waiting_rows || 2 * all.bytes >= limits.waiting_bytes;
    auto const owners = services + (mine == 0 ? 1 : 0);
    return !crowded || owners * mine <= all.rows;
}

client_writer::client_writer(write_limits limits, row_store store, time_source& time, asio::any_io_executor loop)
    : limits_(limits), store_(std::move(store)), time_(time), loop_(loop), bell_(std::move(loop))
{}

// A database that refuses at once would otherwise be asked as often as clients register.
awaitable<void> client_writer::run()
{
    auto pause = first_write_pause;
    for (;;) {
        while (queue_.empty())
            co_await bell_.wait();
        auto taken = take();
        if (taken.empty())
            continue;
        bool const answered = co_await write_group(std::move(taken));
        co_await time_.sleep_for(answered ? between_groups : pause);
        pause = answered ? first_write_pause : std::min<duration>(2 * pause, longest_write_pause);
    }
}

awaitable<storage::client_written> client_writer::write(storage::client_write row, std::function<bool()> wanted)
{
    storage::client_written answer;
    if (replaced(row, answer))
        co_return answer;
    auto const one = add(std::move(row));
    if (wanted)
        one->wanted = [wanted = std::move(wanted)](auto const&) { return wanted(); };
    std::shared_ptr<void> const at_end(nullptr, [this, one](auto) { remove(*one); });
    auto const until = time_.now() + limits_.longest_wait;
    while (one->at != entry::phase::ended) {
        if (one->at == entry::phase::taken)
            co_await one->bell.wait();
        else if (time_.now() < until)
            co_await one->bell.wait_until(time_, until);
        else
            throw overloaded("the database has not taken the change in time", try_later);
    }
    if (one->failure)
        std::rethrow_exception(one->failure);
    co_return one->answer;
}

awaitable<client_writer::answers> client_writer::write_own(group rows, filter wanted)
{
    std::vector<std::shared_ptr<entry>> all;
    std::shared_ptr<void> const at_end(nullptr, [this, &all](auto) {
        for (auto const& one : all)
            remove(*one);
    });
    for (auto& row : rows) {
        auto const& one = all.emplace_back(add(std::move(row)));
        one->wanted = wanted;
        one->own = true;
    }
    answers got;
    for (auto const& one : all) {
        while (one->at != entry::phase::ended)
            co_await one->bell.wait();
        if (one->failure)
            std::rethrow_exception(one->failure);
        got.push_back(one->answer);
    }
    co_return got;
}

// Registrations only: their number is that of the clients, and not of their attempts.
bool client_writer::replaced(storage::client_write const& row, storage::client_written& answer)
{
    auto const bytes = bytes_of(row);
    auto const found = row.what == storage::client_write::kind::put ? puts_.find(row.row.instance) : puts_.end();
    if (found == puts_.end() || found->second->row.row.secret != row.row.secret ||
        found->second->row.row.generation == row.row.generation) {
        refuse_if_full(row, bytes);
        return false;
    }
    if (found->second->row.row.generation > row.row.generation) {
        answer.overtaken = true;
        return true;
    }
    auto const before = found->second;
    storage::client_written late;
    late.overtaken = true;
    remove(*before);
    end(*before, late, nullptr);
    return false;
}

void client_writer::refuse_if_full(storage::client_write const& row, std::size_t bytes)
{
    if (may_wait({queue_.size(), bytes_}, queue_.size_of(owner_of(row)), queue_.owners(), bytes, limits_))
        return;
    ++refused_;
    auto const now = time_.now();
    if (said_at_ == instant{} || now - said_at_ >= say_full_again) {
        said_at_ = now;
        log::warn("clients", "too many registrations wait for the database, further ones are asked to come later",
                  {{"waiting", queue_.size()}, {"refused", refused_}});
    }
    throw overloaded("too many registrations wait for the database", try_later);
}

// The writes of a client keep their order. Those that do not name the service, departures, have a line of their own.
std::string client_writer::owner_of(storage::client_write const& row) const
{
    if (auto const found = puts_.find(row.row.instance); found != puts_.end())
        return found->second->owner;
    return row.row.project + '/' + row.row.service;
}

std::shared_ptr<client_writer::entry> client_writer::add(storage::client_write row)
{
    auto const one = std::make_shared<entry>(std::move(row), loop_);
    one->owner = owner_of(one->row);
    one->place = queue_.put(one->owner, one);
    bytes_ += one->bytes;
    if (one->row.what == storage::client_write::kind::put)
        puts_[one->row.row.instance] = one;
    bell_.wake();
    return one;
}

// From the queue, if it still waits there.
void client_writer::remove(entry& one)
{
    if (one.at != entry::phase::waiting)
        return;
    queue_.erase(one.place);
    leave_queue(one);
}

void client_writer::leave_queue(entry& one)
{
    one.at = entry::phase::taken;
    bytes_ -= one.bytes;
    if (auto const found = puts_.find(one.row.row.instance); found != puts_.end() && found->second.get() == &one)
        puts_.erase(found);
}

void client_writer::end(entry& one, storage::client_written const& answer, std::exception_ptr failure)
{
    one.at = entry::phase::ended;
    one.answer = answer;
    one.failure = std::move(failure);
    one.bell.wake();
}

std::vector<std::shared_ptr<client_writer::entry>> client_writer::take()
{
    std::vector<std::shared_ptr<entry>> taken;
    write_size size;
    for (auto const* next = queue_.next(); next != nullptr && fits(size, (*next)->bytes, limits_);
         next = queue_.next()) {
        auto const one = queue_.take();
        leave_queue(*one);
        if (one->wanted && !one->wanted(one->row)) {
            end(*one, {}, one->own ? nullptr : std::make_exception_ptr(caller_gone()));
            continue;
        }
        taken.push_back(one);
        ++size.rows;
        size.bytes += one->bytes;
    }
    return taken;
}

// True if the database answered.
awaitable<bool> client_writer::write_group(std::vector<std::shared_ptr<entry>> taken)
{
    group rows;
    rows.reserve(taken.size());
    for (auto const& one : taken)
        rows.push_back(one->row);
    answers got(taken.size());
    std::exception_ptr failure;
    bool wrong = false; // one of the rows
    bool answered = true;
    try {
        got = co_await store_(rows);
    } catch (invalid_input const&) {
        failure = std::current_exception();
        wrong = true;
    } catch (unavailable const& reason) {
        failure = std::current_exception();
        answered = false;
        log::outage(reason, "clients", "writing the rows of clients failed, their registrations are refused",
                    {log::reason(reason.what()), {"rows", rows.size()}, {"waiting", queue_.size()}});
    } catch (...) {
        for (auto const& one : taken)
            end(*one, {}, std::current_exception());
        throw;
    }
    if (wrong && taken.size() > 1) { // the others must not fail with it
        auto const middle = taken.begin() + static_cast<std::ptrdiff_t>(taken.size() / 2);
        std::vector<std::shared_ptr<entry>> second(middle, taken.end());
        taken.erase(middle, taken.end());
        bool const first_answered = co_await write_group(std::move(taken));
        bool const second_answered = co_await write_group(std::move(second));
        co_return (first_answered && second_answered);
    }
    for (std::size_t i = 0; i < taken.size(); ++i)
        end(*taken[i], got[i], failure);
    co_return answered;
}

} // namespace baton::trigger
