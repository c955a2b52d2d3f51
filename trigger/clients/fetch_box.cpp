#include "trigger/clients/fetch_box.hpp"

#include <algorithm>
#include <utility>

namespace baton::trigger {

bool fetch_box::put(protocol::fetched_call call)
{
    if (waiting_.size() >= limits_.calls || (bytes_ != 0 && bytes_ + call.body.text.size() > limits_.bytes))
        return false;
    bytes_ += call.body.text.size();
    waiting_.push_back(std::move(call));
    return true;
}

void fetch_box::give_up(std::int64_t call)
{
    auto const found = std::find_if(waiting_.begin(), waiting_.end(),
                                    [&](protocol::fetched_call const& one) { return one.call == call; });
    if (found == waiting_.end())
        return;
    bytes_ -= found->body.text.size();
    waiting_.erase(found);
}

bool fetch_box::in_envelope(std::int64_t call) const
{
    return std::find(sent_.begin(), sent_.end(), call) != sent_.end();
}

bool fetch_box::begin(std::int64_t poll)
{
    if (poll <= newest_poll_)
        return false;
    newest_poll_ = poll;
    return true;
}

std::string const& fetch_box::envelope(std::string const& node, std::int64_t& last, instant now)
{
    if (!text_.empty())
        return text_;
    made_at_ = now;
    protocol::fetch_answer made;
    made.node = node;
    made.number = number_ = ++last;
    std::size_t size = 0;
    while (!waiting_.empty()) {
        auto const more = waiting_.front().body.text.size();
        if (!made.calls.empty() && size + more > limits_.envelope)
            break;
        size += more;
        sent_.push_back(waiting_.front().call);
        made.calls.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
    }
    bytes_ -= size;
    text_ = to_text(made);
    return text_;
}

std::vector<std::int64_t> fetch_box::drop_old(instant now)
{
    return !text_.empty() && now - made_at_ >= limits_.repeat ? settle(number_) : std::vector<std::int64_t>();
}

std::vector<std::int64_t> fetch_box::settle(std::int64_t number)
{
    if (text_.empty() || number != number_)
        return {};
    text_ = {};
    return std::exchange(sent_, {});
}

} // namespace baton::trigger
