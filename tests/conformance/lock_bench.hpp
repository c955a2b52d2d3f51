#pragma once

#include "libs/storage/database.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace baton::test {

using answer = long long;
constexpr answer null = -1;
constexpr answer failed = -2;
constexpr answer none_yet = -3;

// A server, its sessions by name, and its statements for named locks.
class bench {
public:
    virtual ~bench() = default;

    // Statements. A time is in seconds; 9 is longer than any test waits.
    virtual std::string get(std::string const& lock, int seconds = 0) const = 0;
    virtual std::string release(std::string const& lock) const = 0;
    virtual std::string holder(std::string const& lock) const = 0;
    virtual std::string own_id() const = 0;
    virtual std::string kill(answer id) const = 0;
    virtual std::string kill_query(answer id) const = 0;
    virtual answer interrupted() const = 0; // the answer to a wait whose statement is killed

    answer open(std::string const& who, duration idle_limit = {}) // its id
    {
        databases_[who] = connect(idle_limit);
        return ask(who, own_id());
    }
    void close(std::string const& who) { databases_.at(who).reset(); }

    answer ask(std::string const& who, std::string const& sql)
    {
        begin(who, sql);
        return heard(who);
    }
    void begin(std::string const& who, std::string const& sql)
    {
        answers_[who] = none_yet;
        spawn(call(*databases_.at(who), sql, answers_[who]));
    }
    bool waits(std::string const& who) const { return answers_.at(who) == none_yet; }
    answer heard(std::string const& who) // waits for the answer to the last call
    {
        for (auto const until = now() + 30s; waits(who) && now() < until;)
            pass(1ms);
        return answers_.at(who);
    }

    virtual void await_waiting(std::string const& who, answer id) = 0; // until its call waits for a lock
    virtual void pass(duration span) = 0;
    virtual void freeze(duration span, std::function<void()> const& meanwhile) = 0;
    virtual void crash() = 0; // and start again

protected:
    virtual std::unique_ptr<storage::database> connect(duration idle_limit) = 0;
    virtual void spawn(awaitable<void> part) = 0;
    virtual instant now() = 0;
    void close_all() { databases_.clear(); }

private:
    static awaitable<void> call(storage::database& where, std::string sql, answer& heard);

    std::map<std::string, std::unique_ptr<storage::database>> databases_;
    std::map<std::string, answer> answers_;
};

enum class kind { mariadb, simulated };

// `harmed`: a server of its own, for tests that freeze or crash it.
std::unique_ptr<bench> make_bench(kind which, bool harmed = false);

} // namespace baton::test
