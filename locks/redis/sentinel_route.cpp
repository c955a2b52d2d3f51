#include "locks/redis/sentinel_route.hpp"

#include <algorithm>
#include <vector>

namespace baton::lock {

namespace {

constexpr duration between_searches = 100ms; // by which a new master is not overlooked for long

struct sentinel {
    redis_location where;
    std::shared_ptr<redis_connection> by = {};
};

class sentinel_route final : public redis_route {
public:
    sentinel_route(redis_url const& of, redis_connection_parts parts)
        : name_(of.master), login_(of.login), parts_(parts)
    {
        for (auto const& each : of.servers)
            sentinels_.push_back({each});
    }

    ~sentinel_route() override
    {
        if (master_)
            master_->close("not needed any more");
        for (auto const& each : sentinels_)
            if (each.by)
                each.by->close("not needed any more");
    }

    awaitable<void> lead(redis_errand& of) override
    {
        if (!proven_ || !master_->is_open())
            co_await search(of.until);
        of.by = master_;
    }

    std::optional<duration> turned_away(redis_errand& of, std::string const& error) override
    {
        if (!says(error, "READONLY") && !says(error, "LOADING") && !says(error, "MASTERDOWN"))
            return std::nullopt;
        of.by->close(error);
        return between_searches;
    }

    void doubt(std::string const&) override { proven_ = false; }

    awaitable<redis_location> find_news(instant until) override
    {
        redis_errand any{"", until};
        co_await lead(any);
        co_return any.by->where();
    }

private:
    // Who comes while another searches asks the same on the same connections.
    awaitable<void> search(instant until)
    {
        auto const count = sentinels_.size();
        auto const turn = (until - parts_.time.now()) / static_cast<std::int64_t>(count + 1);
        auto const begin = first_;
        std::string why;
        for (std::size_t tried = 0; tried < count; ++tried) {
            auto const number = (begin + tried) % count;
            try {
                auto const where = co_await ask(sentinels_[number], std::min(until, parts_.time.now() + turn));
                co_await prove(where, std::min(until, parts_.time.now() + turn));
                first_ = number;
                co_return;
            } catch (unavailable const& failure) {
                why = failure.what();
            }
        }
        throw unavailable("no master known as " + name_ + ": " + why);
    }

    awaitable<redis_location> ask(sentinel& one, instant until)
    {
        if (!one.by || !one.by->is_open())
            one.by = redis_connection::open(one.where, parts_);
        auto const by = one.by;
        redis_command const words{"SENTINEL", "GET-MASTER-ADDR-BY-NAME", name_};
        auto const answer = co_await by->call(words, until);
        if (answer.is_error())
            throw unavailable("sentinel " + by->where().text() + ": " + answer.text);
        if (answer.list.size() != 2)
            throw unavailable("sentinel " + by->where().text() + " does not know it");
        auto const where = login_.at(answer.list[0].text, answer.list[1].text);
        if (!where)
            throw unavailable("sentinel " + by->where().text() + ": no address: " + answer.list[0].text);
        co_return *where;
    }

    awaitable<void> prove(redis_location where, instant until)
    {
        if (!master_ || !master_->is_open() || master_->where() != where) {
            proven_ = false;
            if (master_)
                master_->close("it is not the master any more");
            master_ = redis_connection::open(where, parts_);
        }
        auto const by = master_;
        redis_command const words{"ROLE"};
        auto const answer = co_await by->call(words, until);
        if (answer.list.empty() || answer.list[0].text != "master") {
            auto const said = answer.list.empty() ? answer.text : "a " + answer.list[0].text;
            by->close("not a master");
            throw unavailable("Redis " + where.text() + " is no master: " + said);
        }
        if (by != master_)
            throw unavailable("Redis " + where.text() + ": another was named meanwhile");
        proven_ = true;
    }

    std::string name_;
    redis_location login_;
    redis_connection_parts parts_;
    std::vector<sentinel> sentinels_;
    std::size_t first_ = 0; // to be asked: who answered last
    std::shared_ptr<redis_connection> master_;
    bool proven_ = false; // that it was the master when the connection was made
};

} // namespace

std::unique_ptr<redis_route> make_sentinel_route(redis_url const& of, redis_connection_parts parts)
{
    return std::make_unique<sentinel_route>(of, parts);
}

} // namespace baton::lock
