#include "libs/http/body_source.hpp"
#include "tests/unit/http/loopback.hpp"

namespace streaming_test {

using namespace baton;
using namespace baton::http;
using namespace baton::http::test;

namespace {

struct observed {
    int asked = 0; // calls of next()
    bool closed = false;
    bool destroyed = false;
};

// Gives `pieces`, and then waits until it is closed; with `endless` it repeats the last piece instead.
class scripted final : public body_source {
public:
    scripted(asio::any_io_executor loop, std::vector<std::string> pieces, bool endless, observed& seen)
        : pieces_(std::move(pieces)), endless_(endless), seen_(seen), bell_(loop)
    {}
    ~scripted() override { seen_.destroyed = true; }

    awaitable<std::string> next() override
    {
        auto const at = static_cast<std::size_t>(seen_.asked++);
        if (at < pieces_.size())
            co_return pieces_[at];
        if (endless_ && !seen_.closed)
            co_return pieces_.back();
        while (!seen_.closed)
            co_await bell_.wait();
        co_return std::string();
    }

    void close() override
    {
        seen_.closed = true;
        bell_.wake();
    }

private:
    std::vector<std::string> pieces_;
    bool endless_;
    observed& seen_;
    waker bell_;
};

handler streams(loopback& net, observed& seen, std::vector<std::string> pieces, bool endless = false)
{
    return [&net, &seen, pieces, endless](request const&) -> awaitable<response> {
        response answer;
        answer.headers.set("Content-Type", "text/event-stream");
        answer.stream = std::make_shared<scripted>(net.io.get_executor(), pieces, endless, seen);
        co_return answer;
    };
}

awaitable<std::string> read_past(tcp::socket& socket, std::string_view text)
{
    std::string all;
    std::array<char, 4096> part;
    while (all.find(text) == std::string::npos) {
        auto const space = asio::buffer(part);
        auto const size = co_await socket.async_read_some(space, asio::use_awaitable);
        all.append(part.data(), size);
    }
    co_return all;
}

constexpr std::string_view ask = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n";

} // namespace

TEST_CASE("a stopped server ends a streamed body, whose pieces arrived as chunks when they were made")
{
    loopback net;
    observed seen;
    net.listen(streams(net, seen, {"first\n", "second piece\n"}), {}, 20s);
    auto const scenario = [&]() -> awaitable<void> {
        auto socket = co_await dial(net.to);
        co_await write_all(socket, ask);
        auto const begun = co_await read_past(socket, "d\r\nsecond piece\n\r\n");
        CHECK(begun.find("Transfer-Encoding: chunked\r\n") != std::string::npos);
        CHECK(begun.find("Content-Length") == std::string::npos);
        CHECK(begun.find("\r\n\r\n6\r\nfirst\n\r\n") != std::string::npos);
        CHECK_FALSE(seen.closed);
        net.stop();
        auto const rest = co_await read_all(socket);
        CHECK(rest == "0\r\n\r\n");
        while (!net.stopped)
            co_await net.time.sleep_for(1ms);
        CHECK(seen.destroyed);
    };
    net.run(scenario());
}

TEST_CASE("a reader that vanishes closes the source, although no piece is due")
{
    loopback net;
    observed seen;
    net.listen(streams(net, seen, {"first\n"}));
    auto const scenario = [&]() -> awaitable<void> {
        auto socket = co_await dial(net.to);
        co_await write_all(socket, ask);
        auto const begun = co_await read_past(socket, "first");
        socket.close();
        while (!seen.destroyed)
            co_await net.time.sleep_for(1ms);
        CHECK(seen.closed);
    };
    net.run(scenario());
}

TEST_CASE("a reader that reads nothing is cut off after the write limit, and its source was asked for little")
{
    loopback net;
    observed seen;
    server_settings how;
    how.write_limit = 50ms;
    std::string const piece(1u << 20, 'x');
    net.listen(streams(net, seen, {piece}, true), how);
    auto const scenario = [&]() -> awaitable<void> {
        auto socket = co_await dial(net.to);
        co_await write_all(socket, ask);
        while (!seen.destroyed)
            co_await net.time.sleep_for(1ms);
        CHECK(seen.asked < 100); // the buffers of the sockets hold a few pieces
    };
    net.run(scenario());
}

TEST_CASE("HEAD gets the head of a stream, and HTTP/1.0 a refusal; neither asks the source for a piece")
{
    loopback net;
    observed seen;
    net.listen(streams(net, seen, {"first\n"}));
    auto const scenario = [&]() -> awaitable<void> {
        auto const head = co_await talk(net.to, "HEAD /events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        CHECK(head.starts_with("HTTP/1.1 200"));
        CHECK(head.ends_with("\r\n\r\n"));
        auto const old = co_await talk(net.to, "GET /events HTTP/1.0\r\nHost: x\r\n\r\n");
        CHECK(old.starts_with("HTTP/1.1 505"));
        CHECK(seen.asked == 0);
    };
    net.run(scenario());
}

} // namespace streaming_test
