#include "locks/tests/support/slow_link.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace baton::test {

using boost::asio::ip::tcp;

namespace {

tcp::endpoint on_loopback(unsigned short port)
{
    return {boost::asio::ip::address_v4::loopback(), port};
}

} // namespace

struct slow_link::state {
    explicit state(unsigned short port) : server_port(port) {}

    void serve()
    {
        boost::system::error_code failure;
        while (!ended) {
            tcp::socket client(loop);
            acceptor.accept(client, failure);
            if (failure || ended)
                return;
            tcp::socket server(loop);
            server.connect(on_loopback(server_port), failure);
            if (!failure)
                relay(client, server);
        }
    }

    void relay(tcp::socket& client, tcp::socket& server)
    {
        std::thread answers([&] { pass(server, client, answers_held, [](std::string_view) {}); });
        pass(client, server, requests_held, [&](std::string_view piece) {
            if (!awaited.empty() && piece.find(awaited) != std::string_view::npos)
                answers_held = true;
        });
        boost::system::error_code ignored;
        server.shutdown(tcp::socket::shutdown_both, ignored);
        client.shutdown(tcp::socket::shutdown_both, ignored);
        answers.join();
    }

    // Until one end closes. `look` sees each piece once it need not wait for `held`, before it goes on.
    template <class Look>
    void pass(tcp::socket& from, tcp::socket& to, bool const& held, Look look)
    {
        std::array<char, 16'384> bytes;
        boost::system::error_code failure;
        while (!failure) {
            auto const size = from.read_some(boost::asio::buffer(bytes), failure);
            if (failure)
                return;
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return !held || ended; });
            look(std::string_view(bytes.data(), size));
            boost::asio::write(to, boost::asio::buffer(bytes.data(), size), failure);
        }
    }

    template <class Change>
    void set(Change change)
    {
        std::lock_guard const lock(mutex);
        change();
        changed.notify_all();
    }

    // A connection that is relayed meanwhile must be closed by the client or the server.
    void end()
    {
        set([&] { ended = true; });
        boost::system::error_code ignored;
        tcp::socket last(loop); // wakes the accept
        last.connect(acceptor.local_endpoint(), ignored);
        thread.join();
    }

    unsigned short const server_port;
    boost::asio::io_context loop;
    tcp::acceptor acceptor{loop, on_loopback(0)};
    mutable std::mutex mutex;
    std::condition_variable changed;
    std::string awaited;
    bool requests_held = false;
    bool answers_held = false;
    std::atomic<bool> ended = false;
    std::thread thread{[this] { serve(); }};
};

slow_link::slow_link(std::string const& server_port)
    : state_(std::make_unique<state>(static_cast<unsigned short>(std::stoi(server_port))))
{}

slow_link::~slow_link()
{
    state_->end();
}

std::string slow_link::port() const
{
    return std::to_string(state_->acceptor.local_endpoint().port());
}

void slow_link::hold_requests()
{
    state_->set([&] { state_->requests_held = true; });
}

void slow_link::let_requests_pass()
{
    state_->set([&] { state_->requests_held = false; });
}

void slow_link::hold_answers_after(std::string const& text)
{
    state_->set([&] { state_->awaited = text; });
}

bool slow_link::holds_answers() const
{
    std::lock_guard const lock(state_->mutex);
    return state_->answers_held;
}

void slow_link::let_answers_pass()
{
    state_->set([&] {
        state_->awaited.clear();
        state_->answers_held = false;
    });
}

} // namespace baton::test
