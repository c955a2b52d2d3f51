#pragma once

#include "libs/base/backoff.hpp"

#include <map>
#include <string>
#include <vector>

namespace baton::trigger {

// Items whose data the database refused when they were written alone. One of them is poisoned if it is refused once
// more after the database took another item since: then the fault is its own. If nothing else was taken, the fault may
// be the database's, and it is only tried again, after pauses that grow. On the loop only.
template <class Id>
class refused_items {
public:
    static constexpr backoff::settings pauses{200ms, 30s, 1h};

    bool empty() const { return items_.empty(); }
    bool holds(Id const& id) const { return items_.contains(id); }

    // The item was refused. True if it is poisoned, which ends its place here.
    bool refuse(Id const& id, instant now)
    {
        auto& one = items_[id];
        if (one.others_taken) {
            items_.erase(id);
            return true;
        }
        one.again = now + one.pause.after(duration{});
        return false;
    }

    // The database took an item, so the refused ones are worth another try at once.
    void taken(Id const& id, instant now)
    {
        items_.erase(id);
        for (auto& [other, one] : items_) {
            one.others_taken = true;
            one.again = now;
        }
    }

    void forget(Id const& id) { items_.erase(id); }

    // Those to try again now. They stay here.
    std::vector<Id> due(instant now) const
    {
        std::vector<Id> found;
        for (auto const& [id, one] : items_)
            if (one.again <= now)
                found.push_back(id);
        return found;
    }

    // When one is to be tried again.
    instant next() const
    {
        auto first = instant::max();
        for (auto const& [id, one] : items_)
            first = std::min(first, one.again);
        return first;
    }

private:
    struct item {
        backoff pause{pauses};
        instant again{};
        bool others_taken = false;
    };
    std::map<Id, item> items_;
};

} // namespace baton::trigger
