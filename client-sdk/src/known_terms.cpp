#include "client-sdk/src/known_terms.hpp"

#include <algorithm>

namespace baton::client {

bool known_terms::observe(protocol::term_id term)
{
    auto const found = std::find_if(terms_.begin(), terms_.end(),
                                    [&](protocol::term_id const& one) { return one.name_space == term.name_space; });
    if (found != terms_.end()) {
        if (term.epoch < found->epoch)
            return false;
        *found = term;
        std::rotate(terms_.begin(), found, found + 1);
        return true;
    }
    if (term.epoch <= 0) // its sender knows none yet
        return term.epoch == 0;
    if (terms_.size() == most)
        terms_.pop_back();
    terms_.insert(terms_.begin(), term);
    return true;
}

protocol::term_id known_terms::of(protocol::namespace_id name_space) const
{
    for (auto const& one : terms_)
        if (one.name_space == name_space)
            return one;
    return {name_space, 0};
}

} // namespace baton::client
