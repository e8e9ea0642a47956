#include "base/accounted_to.h"

#include <utility>

namespace weft {
namespace {

thread_local AccountedTo* innermost_account = nullptr;

}  // namespace

AccountedTo::AccountedTo(Account account)
    : account_(std::move(account)), outer_(std::exchange(innermost_account, this)) {}

AccountedTo::~AccountedTo() { innermost_account = outer_; }

Account AccountedTo::current() { return innermost_account == nullptr ? Account() : innermost_account->account_; }

}  // namespace weft
