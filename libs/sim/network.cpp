#include "libs/sim/network.hpp"

#include "libs/sim/random_between.hpp"

#include <boost/asio/error.hpp>
#include <spdlog/fmt/fmt.h>

#include <optional>

namespace baton::sim {

// One request and its result, shared by the caller and the messages under way.
struct network::exchange {
    explicit exchange(virtual_time& time) : heard(time) {}

    std::uint64_t number = 0;
    bool reply_lost = false;
    duration reply_delay{};
    event heard;
    std::optional<http::response> reply;
    bool refused = false;
    bool reset = false;
};

class network::caller final : public http::client {
public:
    caller(network& net, host& sender) : net_(net), sender_(sender) {}

    awaitable<http::response> send(http::url to, http::request message, duration limit) override
    {
        if (!sender_.alive())
            throw boost::system::system_error(asio::error::operation_aborted);
        auto const open = std::make_shared<exchange>(net_.env_.time);
        open->number = ++net_.exchanges_;
        net_.env_.log.note(
            fmt::format("exchange {}: {} requests {}{}", open->number, sender_.name(), to.text(), message.target));
        if (net_.on_request)
            net_.on_request(to, message);
        post(to, std::move(message), open);
        auto const until = net_.env_.time.now() + limit;
        co_await open->heard.wait_until(until, &sender_.span(), virtual_time::sleep_kind::cancellable);
        if (net_.env_.time.now() > until && net_.random_.below(2) == 0) // it was frozen, and its timer fires first
            open->reply.reset();
        co_return outcome(to, *open);
    }

private:
    void post(http::url const& to, http::request message, std::shared_ptr<exchange> const& open)
    {
        auto const first = net_.latency();
        auto const second = first + net_.latency();
        bool const lost = net_.random_.fraction() < net_.faults.lose_request;
        open->reply_lost = net_.random_.fraction() < net_.faults.lose_reply;
        open->reply_lost = open->reply_lost || (net_.loses_answer && net_.loses_answer(message));
        if (net_.delays_answer)
            open->reply_delay = net_.delays_answer(message);
        bool const repeated = net_.random_.fraction() < net_.faults.repeat;
        if (lost)
            return;
        auto once = net_.deliver(sender_.name(), to, message, open, first);
        asio::co_spawn(net_.env_.loop, std::move(once), asio::detached);
        if (!repeated)
            return;
        auto again = net_.deliver(sender_.name(), to, std::move(message), open, second);
        asio::co_spawn(net_.env_.loop, std::move(again), asio::detached);
    }

    http::response outcome(http::url const& to, exchange& open)
    {
        if (open.refused)
            throw http::unreachable(to.text() + ": connection refused", false);
        if (open.reset)
            throw http::unreachable(to.text() + ": connection reset", true);
        if (!open.reply)
            throw http::unreachable(to.text() + ": no answer in time", true);
        net_.env_.log.note(fmt::format("exchange {}: answered {}", open.number, open.reply->status));
        return std::move(*open.reply);
    }

    network& net_;
    host& sender_;
};

void network::attach(host& where, http::url const& at, http::handler handle)
{
    listeners_[{at.host, at.port}] = {&where, std::move(handle)};
}

void network::detach(http::url const& at)
{
    listeners_.erase({at.host, at.port});
}

std::unique_ptr<http::client> network::client_for(host& sender)
{
    return std::make_unique<caller>(*this, sender);
}

void network::partition(std::string const& a, std::string const& b)
{
    partitioned_.insert(std::minmax(a, b));
    env_.log.note(a + " and " + b + " are partitioned");
}

void network::heal(std::string const& a, std::string const& b)
{
    if (partitioned_.erase(std::minmax(a, b)) != 0)
        env_.log.note(a + " and " + b + " reach each other again");
}

void network::heal()
{
    partitioned_.clear();
    env_.log.note("all partitions heal");
}

bool network::partitioned(std::string const& a, std::string const& b) const
{
    return partitioned_.contains(std::minmax(a, b));
}

duration network::latency()
{
    auto const usual = random_between(random_, faults.min_latency, faults.max_latency);
    bool const hindered = random_.fraction() < faults.spike;
    auto const more = random_between(random_, 0us, faults.spike_max);
    return hindered ? usual + more : usual;
}

// Takes parameters by value, because the caller may be gone when the message arrives.
awaitable<void> network::deliver(std::string from, http::url to, http::request message, std::shared_ptr<exchange> open,
                                 duration after)
{
    co_await env_.time.sleep_for(after);
    auto const found = listeners_.find({to.host, to.port});
    if (found == listeners_.end() || !found->second.where->alive()) {
        open->refused = !open->reply;
        open->heard.set();
        co_return;
    }
    auto& where = *found->second.where;
    if (partitioned(from, where.name()))
        co_return;
    auto handle = found->second.handle;
    bool died = false;
    try {
        co_await where.thaw(); // the kernel has received the message
    } catch (boost::system::system_error const&) {
        died = true;
    }
    if (died) {
        open->reset = !open->reply;
        open->heard.set();
        co_return;
    }
    message.target = to.prefix + message.target;
    message.peer = from + ":0";
    auto reaction = answer(where, std::move(handle), std::move(message), std::move(from), std::move(open));
    where.spawn(std::move(reaction));
}

awaitable<void> network::answer(host& where, http::handler handle, http::request message, std::string from,
                                std::shared_ptr<exchange> open)
{
    http::response reply;
    bool reset = false;
    try {
        auto instead = answers_instead ? answers_instead(message) : std::nullopt;
        if (instead)
            reply = std::move(*instead);
        else
            reply = co_await handle(message);
    } catch (boost::system::system_error const& failure) {
        reset = failure.code() == asio::error::operation_aborted;
        reply.status = 500;
    } catch (std::exception const& failure) {
        env_.log.note(where.name() + " answers 500: " + failure.what());
        reply.status = 500;
    }
    send_back(where.name(), from, open, std::move(reply), reset);
}

void network::send_back(std::string const& from, std::string const& to, std::shared_ptr<exchange> open,
                        http::response reply, bool reset)
{
    auto way_back = travel_back(from, to, std::move(open), std::move(reply), reset);
    asio::co_spawn(env_.loop, std::move(way_back), asio::detached);
}

awaitable<void> network::travel_back(std::string from, std::string to, std::shared_ptr<exchange> open,
                                     http::response reply, bool reset)
{
    auto const after = latency() + open->reply_delay;
    co_await env_.time.sleep_for(after);
    if (open->reply_lost || partitioned(from, to))
        co_return;
    if (!open->reply && reset)
        open->reset = true;
    else if (!open->reply)
        open->reply = std::move(reply);
    open->heard.set();
}

} // namespace baton::sim
