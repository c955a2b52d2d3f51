#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <string>
#include <utility>

namespace baton {

// A queue whose owners take turns: the first item of each in turn, so that the many items of one owner do not delay the
// few of another. Items of one owner keep their order. The cost of a call does not depend on how many wait (round
// robin, as in J. Nagle, "On Packet Switches With Infinite Storage", RFC 970). Not safe for concurrent use.
template <class T>
class turn_queue {
    using lines = std::map<std::string, std::list<T>, std::less<>>;

public:
    class place {
        friend class turn_queue;
        typename lines::iterator owner{};
        typename std::list<T>::iterator item{};
    };

    place put(std::string const& owner, T item)
    {
        auto const [line, is_new] = lines_.try_emplace(owner);
        if (is_new)
            turns_.push_back(line);
        place at;
        at.owner = line;
        at.item = line->second.insert(line->second.end(), std::move(item));
        ++size_;
        return at;
    }

    // The item whose turn it is; null if none waits.
    T* next()
    {
        while (!turns_.empty() && turns_.front()->second.empty())
            drop_turn();
        return turns_.empty() ? nullptr : &turns_.front()->second.front();
    }

    // Takes out the item whose turn it is. There must be one.
    T take()
    {
        next();
        auto const owner = turns_.front();
        turns_.pop_front();
        turns_.push_back(owner);
        T item = std::move(owner->second.front());
        owner->second.pop_front();
        --size_;
        return item;
    }

    // The owner of a queued item keeps its turn.
    void erase(place const& at)
    {
        at.owner->second.erase(at.item);
        --size_;
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::size_t size_of(std::string const& owner) const
    {
        auto const found = lines_.find(owner);
        return found == lines_.end() ? 0 : found->second.size();
    }
    // Owners with a turn: those that wait, and some that have ceased to a moment ago.
    std::size_t owners() const { return turns_.size(); }

private:
    void drop_turn()
    {
        auto const owner = turns_.front();
        turns_.pop_front();
        lines_.erase(owner);
    }

    lines lines_; // of owners with a turn
    std::deque<typename lines::iterator> turns_;
    std::size_t size_ = 0;
};

} // namespace baton
