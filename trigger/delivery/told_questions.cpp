#include "trigger/delivery/told_questions.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr duration keep_answer = 10s;
constexpr std::size_t most_of_a_client = 4;
} // namespace

void told_questions::ask(std::string const& instance, std::shared_ptr<std::string const> text, listener take)
{
    auto& mine = asked_[instance];
    auto const found = std::ranges::find_if(mine, [&](auto const& one) { return *one->text == *text; });
    if (found != mine.end()) {
        auto const one = *found;
        if (one->answer && take(std::move(*one->answer)))
            erase(instance, one);
        else
            one->take = std::move(take);
        return;
    }
    if (mine.size() >= most_of_a_client)
        return; // the master repeats the question
    auto const one = std::make_shared<question>(question{std::move(text), std::move(take)});
    mine.push_back(one);
    background_.spawn("a question that its client fetches", ask_one(instance, one));
}

awaitable<void> told_questions::ask_one(std::string instance, std::shared_ptr<question> one)
{
    auto text = *one->text;
    auto answer = co_await calls_.ask(instance, std::move(text), protocol::delivery_way::fetch);
    bool const waits = answer && !one->take(std::move(*answer));
    if (waits) {
        one->answer = std::move(answer);
        co_await time_.sleep_for(keep_answer);
    }
    erase(instance, one);
}

void told_questions::erase(std::string const& instance, std::shared_ptr<question> const& one)
{
    auto const found = asked_.find(instance);
    if (found == asked_.end())
        return;
    found->second.remove(one);
    if (found->second.empty())
        asked_.erase(found);
}

} // namespace baton::trigger
