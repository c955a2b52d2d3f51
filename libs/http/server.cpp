#include "libs/http/server.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/base/loop.hpp"
#include "libs/http/peers.hpp"
#include "libs/http/session.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>

#include <unordered_set>

namespace baton::http {

namespace {

using asio::ip::tcp;

constexpr std::size_t max_refusals = 256; // connections over the limit that are answered at the same time
constexpr duration accept_pause = 100ms;  // after a failed accept, for example for lack of file descriptors

using session_ptr = std::shared_ptr<session>;

class listener final : public server {
public:
    listener(asio::any_io_executor loop, time_source& time, server_settings settings, request_taker handle);

    std::uint16_t port() const override { return port_; }
    awaitable<void> run(duration drain) override;

private:
    void bind();
    awaitable<void> accept();
    awaitable<void> finish(duration drain);
    void start(tcp::socket socket);
    char const* too_many(asio::ip::address const& peer);

    asio::any_io_executor loop_;
    time_source& time_;
    session_rules rules_;
    tcp::acceptor acceptor_;
    std::uint16_t port_ = 0;
    std::unordered_set<session_ptr> connections_;
    peers peers_;
    std::size_t turned_away_ = 0; // those of connections_ that are over the limit
    waker ended_;                 // woken when the last connection ends during the drain
};

listener::listener(asio::any_io_executor loop, time_source& time, server_settings settings, request_taker handle)
    : loop_(loop),
      time_(time),
      rules_{std::move(settings), std::move(handle), std::make_shared<deadlines>(loop, time)},
      acceptor_(loop),
      peers_(rules_.settings.peer_limit),
      ended_(loop)
{
    bind();
}

void listener::bind()
{
    error_code wrong;
    auto const address = asio::ip::make_address(rules_.settings.address, wrong);
    if (wrong)
        throw invalid_input("address", "'" + rules_.settings.address + "' is not an IP address");
    tcp::endpoint const wanted(address, rules_.settings.port);
    try {
        acceptor_.open(wanted.protocol());
        acceptor_.set_option(tcp::acceptor::reuse_address(true));
        acceptor_.bind(wanted);
        acceptor_.listen();
        port_ = acceptor_.local_endpoint().port();
    } catch (boost::system::system_error const& failure) {
        throw unavailable("cannot listen on " + rules_.settings.address + " port " +
                          std::to_string(rules_.settings.port) + ": " + failure.code().message());
    }
}

awaitable<void> listener::run(duration drain)
{
    // The drain must await although this coroutine is cancelled by then, and the caller of run() must still see the
    // cancellation. So the drain is a separate coroutine, and this coroutine's cancellation state stays as it is.
    co_await asio::this_coro::throw_if_cancelled(false);
    co_await accept();
    auto draining = finish(drain);
    co_await asio::co_spawn(loop_, std::move(draining), asio::use_awaitable);
    co_await asio::this_coro::throw_if_cancelled(true);
}

awaitable<void> listener::accept()
{
    asio::steady_timer pause(loop_);
    for (;;) {
        auto const state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none)
            co_return;
        error_code failed;
        auto socket = co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, failed));
        if (!failed) {
            start(std::move(socket));
        } else if (failed != asio::error::operation_aborted && failed != asio::error::connection_aborted) {
            log::warn("http", "accepting a connection failed, retrying after a pause",
                      {log::reason(failed.message()), {"port", port_}, {"pause_ms", accept_pause.count() / 1'000}});
            pause.expires_after(accept_pause);
            co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, failed));
        }
    }
}

awaitable<void> listener::finish(duration drain)
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    rules_.stopping = true;
    error_code ignored;
    acceptor_.close(ignored);
    for (auto const& connection : connections_)
        connection->wind_down();
    auto const until = time_.now() + drain;
    for (bool in_time = true; in_time && !connections_.empty();)
        in_time = co_await ended_.wait_until(time_, until);
    std::vector<session_ptr> const left(connections_.begin(), connections_.end());
    if (!left.empty())
        log::warn("http", "connections did not end within the drain, cancelling them",
                  {{"port", port_}, {"connections", left.size()}});
    for (auto const& connection : left)
        connection->cut();
    while (!connections_.empty())
        co_await ended_.wait();
}

// Why a further connection of this peer is turned away; null, and counted, if it is not.
char const* listener::too_many(asio::ip::address const& peer)
{
    if (connections_.size() - turned_away_ >= rules_.settings.connection_limit)
        return "the connection limit of this server is reached";
    if (peers_.enter(peer))
        return nullptr;
    if (peers_.first_refusal(peer))
        log::warn("http", "an address has too many connections, refusing further ones",
                  {{"port", port_}, {"peer", peer.to_string()}, {"limit", rules_.settings.peer_limit}});
    return "the limit of connections of one address to this server is reached";
}

void listener::start(tcp::socket socket)
{
    if (turned_away_ >= max_refusals)
        return; // closes the socket without an answer
    error_code ignored;
    auto const peer = socket.remote_endpoint(ignored).address();
    auto const* const full = too_many(peer);
    turned_away_ += full != nullptr ? 1 : 0;
    auto connection = std::make_shared<session>(std::move(socket), rules_);
    connections_.insert(connection);
    auto const ended = [this, connection, peer,
                        full](std::exception_ptr) { // an exception here is the connection's cancellation
        if (full != nullptr)
            --turned_away_;
        else
            peers_.leave(peer);
        connections_.erase(connection);
        if (rules_.stopping && connections_.empty())
            ended_.wake();
    };
    auto work = full != nullptr ? connection->turn_away(full) : connection->serve();
    asio::co_spawn(loop_, std::move(work), asio::bind_cancellation_slot(connection->slot(), ended));
}

} // namespace

std::unique_ptr<server> make_server(asio::any_io_executor loop, time_source& time, server_settings settings,
                                    handler handle)
{
    auto const lend = [handle = std::move(handle)](request&& message) { return handle(message); };
    return std::make_unique<listener>(std::move(loop), time, std::move(settings), lend);
}

std::unique_ptr<server> make_server(asio::any_io_executor loop, time_source& time, server_settings settings,
                                    router const& endpoints)
{
    auto const give = [&endpoints](request&& message) { return endpoints.handle(std::move(message)); };
    return std::make_unique<listener>(std::move(loop), time, std::move(settings), give);
}

} // namespace baton::http
