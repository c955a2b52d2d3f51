#include "locks/redis/cluster_route.hpp"

#include "locks/redis/slot.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace baton::lock {

namespace {

constexpr duration between_turns = 50ms;
constexpr int most_redirects = 5;
constexpr std::int64_t most_silent = 3; // nodes, of which one command can wait for the connection

struct cluster_node {
    explicit cluster_node(redis_location there) : where(std::move(there)) {}
    ~cluster_node()
    {
        if (by)
            by->close("not needed any more");
    }
    cluster_node(cluster_node const&) = delete;
    cluster_node& operator=(cluster_node const&) = delete;
    bool is_open() const { return by && by->is_open(); }

    redis_location where;
    bool of_url = false;
    std::shared_ptr<redis_connection> by;
    bool proven = false; // that it is of a cluster
};

using node = std::shared_ptr<cluster_node>;

class cluster_route final : public redis_route {
public:
    cluster_route(redis_url const& of, redis_connection_parts parts) : login_(of.login), parts_(parts)
    {
        for (auto const& each : of.servers)
            node_at(each)->of_url = true;
    }

    awaitable<void> lead(redis_errand& of) override
    {
        auto const to = of.aside ? std::vector<node>{node_at(*of.aside)} : nodes_for(slot_of(of.key));
        of.by = co_await first_of(to, of.until);
    }

    std::optional<duration> turned_away(redis_errand& of, std::string const& error) override
    {
        of.aside.reset();
        if (auto const redirect = redirect_of(error))
            return follow(*redirect, of);
        of.redirects = 0;
        if (says(error, "TRYAGAIN")) // a part of the keys is under way
            return between_turns;
        if (!says(error, "CLUSTERDOWN") && !says(error, "LOADING") && !says(error, "MASTERDOWN") &&
            !says(error, "READONLY"))
            return std::nullopt;
        of.by->close(error); // others are asked first
        slots_.erase(slot_of(of.key));
        return between_turns;
    }

    unsigned place_of(std::string const& key) const override { return slot_of(key); }

    void doubt(std::string const& key) override
    {
        if (auto const known = slots_.find(slot_of(key)); known != slots_.end())
            known->second->proven = false;
    }

    // A message is told by all nodes, wherever it comes from.
    awaitable<redis_location> find_news(instant until) override
    {
        if (!news_ || !news_->is_open()) {
            auto const to = nodes_for(std::nullopt);
            news_ = co_await first_of(to, until);
        }
        co_return news_->where();
    }

private:
    std::optional<duration> follow(redis_redirect const& redirect, redis_errand& of)
    {
        auto const& said_by = of.by->where();
        auto const where = login_.at(redirect.host.empty() ? said_by.host : redirect.host, redirect.port);
        if (!where || ++of.redirects > most_redirects)
            return std::nullopt;
        if (redirect.for_good)
            slots_[slot_of(of.key)] = node_at(*where);
        else
            of.aside = where;
        return duration{};
    }

    node node_at(redis_location const& where)
    {
        if (auto const found = nodes_.find(where.text()); found != nodes_.end())
            return found->second;
        std::erase_if(nodes_, [](auto const& each) { // whoever has no slot any more
            return each.second.use_count() == 1 && !each.second->of_url;
        });
        return nodes_.emplace(where.text(), std::make_shared<cluster_node>(where)).first->second;
    }

    // He who has the slot, then the others, those first who are there.
    std::vector<node> nodes_for(std::optional<unsigned> slot) const
    {
        std::vector<node> all;
        for (auto const& [name, each] : nodes_)
            all.push_back(each);
        std::stable_partition(all.begin(), all.end(), [](node const& each) { return each->is_open(); });
        if (!slot || !slots_.contains(*slot))
            return all;
        auto const owner = slots_.at(*slot);
        std::stable_partition(all.begin(), all.end(), [&](node const& each) { return each == owner; });
        return all;
    }

    awaitable<std::shared_ptr<redis_connection>> first_of(std::vector<node> const& all, instant until)
    {
        auto const turn = (until - parts_.time.now()) / most_silent;
        std::string why = "no time was left to ask a node";
        for (auto const& each : all) {
            auto const now = parts_.time.now();
            if (now >= until)
                break;
            try {
                co_await connect(*each, std::min(until, now + turn));
                co_return each->by;
            } catch (unavailable const& failure) {
                why = failure.what();
                std::erase_if(slots_, [&](auto const& known) { return known.second == each; });
            }
        }
        throw unavailable(why);
    }

    // A server that is of no cluster would answer too, and keep the lock for itself.
    awaitable<void> connect(cluster_node& to, instant until)
    {
        if (to.is_open() && to.proven)
            co_return;
        if (!to.is_open()) {
            to.proven = false;
            to.by = redis_connection::open(to.where, parts_);
        }
        auto const by = to.by;
        redis_command const words{"CLUSTER", "INFO"};
        auto const answer = co_await by->call(words, until);
        if (answer.is_error())
            throw unavailable("Redis " + to.where.text() + ": " + answer.text);
        to.proven = to.proven || by == to.by;
    }

    redis_location login_;
    redis_connection_parts parts_;
    std::map<std::string, node> nodes_; // by host and port
    std::map<unsigned, node> slots_;    // whose they are, as far as it was told
    std::shared_ptr<redis_connection> news_;
};

} // namespace

std::unique_ptr<redis_route> make_cluster_route(redis_url const& of, redis_connection_parts parts)
{
    return std::make_unique<cluster_route>(of, parts);
}

} // namespace baton::lock
