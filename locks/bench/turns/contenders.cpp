#include "locks/bench/turns/contenders.hpp"

#include "locks/redis/scripts.hpp"

#include <array>
#include <baton/lock/store.hpp>
#include <chrono>
#include <future>
#include <hiredis/hiredis.h>
#include <stdexcept>
#include <zookeeper/zookeeper.h>

namespace baton::bench {

namespace {

using namespace std::chrono_literals;

bool on_redis(std::string const& server)
{
    return server.starts_with("redis://");
}

std::string authority(std::string const& server)
{
    return server.substr(server.find("//") + 2);
}

class baton_contender final : public contender {
public:
    explicit baton_contender(std::string const& server)
        : store_(on_redis(server) ? server : server + "/baton"), lock_(store_.lock("turns"))
    {}

    void lock() override { lock_.lock(); }

    void unlock() override
    {
        if (lock_.unlock() != lock::release_result::released)
            throw std::runtime_error("the lock was not released in time");
    }

private:
    lock::store store_;
    lock::named_lock lock_;
};

class redis_client {
public:
    explicit redis_client(std::string const& server)
    {
        auto const address = authority(server);
        auto const colon = address.rfind(':');
        context_.reset(redisConnect(address.substr(0, colon).c_str(), std::stoi(address.substr(colon + 1))));
        if (!context_ || context_->err != 0)
            throw std::runtime_error("no connection to " + server);
    }

    template <class... Words>
    void ask(int kind, char const* command, Words... words)
    {
        auto* const got = static_cast<redisReply*>(redisCommand(context_.get(), command, words...));
        bool const expected = got && got->type == kind;
        freeReplyObject(got);
        if (!expected)
            throw std::runtime_error("unexpected answer from Redis");
    }

private:
    struct closer {
        void operator()(redisContext* context) const { redisFree(context); }
    };
    std::unique_ptr<redisContext, closer> context_;
};

// The minimum that any lock needs.
class bare_redis final : public contender {
public:
    explicit bare_redis(std::string const& server) : server_(server) {}

    void lock() override { server_.ask(REDIS_REPLY_STATUS, "SET bare me NX PX 30000"); }
    void unlock() override
    {
        server_.ask(REDIS_REPLY_INTEGER, "EVAL %s 1 bare me",
                    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0");
    }

private:
    redis_client server_;
};

// The scripts of baton's lock, which also count a token and notify waiters.
class scripts_on_redis final : public contender {
public:
    explicit scripts_on_redis(std::string const& server) : server_(server), keys_("scripts")
    {
        for (auto const* each : {&lock::take_script(), &lock::release_script()})
            server_.ask(REDIS_REPLY_STRING, "SCRIPT LOAD %s", each->text.c_str());
    }

    void lock() override
    {
        server_.ask(REDIS_REPLY_ARRAY, "EVALSHA %s 2 %s %s %s 10000", lock::take_script().digest.c_str(),
                    keys_.lock.c_str(), keys_.tokens.c_str(), owner);
    }
    void unlock() override
    {
        server_.ask(REDIS_REPLY_INTEGER, "EVALSHA %s 1 %s %s %s", lock::release_script().digest.c_str(),
                    keys_.lock.c_str(), owner, keys_.channel.c_str());
    }

private:
    static constexpr char const* owner = "host:12345:0123456789abcdef/12345678901234567890"; // as long as a real owner

    redis_client server_;
    lock::redis_keys keys_;
};

class bare_zookeeper final : public contender {
public:
    explicit bare_zookeeper(std::string const& server)
    {
        zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
        session_ = zookeeper_init(authority(server).c_str(), state_changed, 10'000, nullptr, this, 0);
        if (!session_ || connected_.get_future().wait_for(10s) != std::future_status::ready) {
            zookeeper_close(session_);
            throw std::runtime_error("no session with " + server);
        }
        int const made = zoo_create(session_, "/bare", "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_PERSISTENT, nullptr, 0);
        expect(made == ZNODEEXISTS ? ZOK : made);
    }
    ~bare_zookeeper() override { zookeeper_close(session_); }
    bare_zookeeper(bare_zookeeper const&) = delete;
    bare_zookeeper& operator=(bare_zookeeper const&) = delete;

    void lock() override
    {
        expect(zoo_create(session_, "/bare/turn-", "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL_SEQUENTIAL, node_.data(),
                          static_cast<int>(node_.size())));
    }
    void unlock() override { expect(zoo_delete(session_, node_.data(), -1)); }

private:
    static void state_changed(zhandle_t*, int type, int state, char const*, void* self)
    {
        auto& connected = static_cast<bare_zookeeper*>(self)->connected_;
        if (type == ZOO_SESSION_EVENT && state == ZOO_CONNECTED_STATE)
            try {
                connected.set_value();
            } catch (std::future_error const&) { // connected again
            }
    }

    static void expect(int code)
    {
        if (code != ZOK)
            throw std::runtime_error(std::string("ZooKeeper: ") + zerror(code));
    }

    std::promise<void> connected_;
    zhandle_t* session_ = nullptr;
    std::array<char, 100> node_{};
};

} // namespace

std::unique_ptr<contender> make_contender(std::string const& server, std::string const& product)
{
    if (product == "baton")
        return std::make_unique<baton_contender>(server);
    if (product == "bare" && on_redis(server))
        return std::make_unique<bare_redis>(server);
    if (product == "bare")
        return std::make_unique<bare_zookeeper>(server);
    if (product == "scripts" && on_redis(server))
        return std::make_unique<scripts_on_redis>(server);
    throw std::invalid_argument("unknown product " + product);
}

} // namespace baton::bench
