#pragma once

#include "libs/base/task_group.hpp"
#include "trigger/clients/client_calls.hpp"

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

namespace baton::trigger {

// Questions to clients that this node cannot call. Each is told to fetch its question, which takes until its next
// heartbeat if it does not watch its home: longer than the master waits for one round of questions. So an answer that
// comes after its round is kept for a while, for the round that repeats the question. On the loop only.
class told_questions {
public:
    told_questions(client_calls& calls, time_source& time, task_group& background)
        : calls_(calls), time_(time), background_(background)
    {}

    // True: the answer has been taken.
    using listener = std::function<bool(protocol::query_answer&& answer)>;

    // Asks the client, unless it has been asked the same already; at most four questions at a time. `text`: a
    // query_request. `take` is called with the answer, which may have come before; not at all if the client does not
    // answer, or if the same question is asked again meanwhile.
    void ask(std::string const& instance, std::shared_ptr<std::string const> text, listener take);

private:
    struct question {
        std::shared_ptr<std::string const> text;
        listener take;
        std::optional<protocol::query_answer> answer{}; // that its listener did not take
    };
    using questions = std::list<std::shared_ptr<question>>;

    awaitable<void> ask_one(std::string instance, std::shared_ptr<question> one);
    void erase(std::string const& instance, std::shared_ptr<question> const& one);

    client_calls& calls_;
    time_source& time_;
    task_group& background_;
    std::map<std::string, questions> asked_; // by instance
};

} // namespace baton::trigger
