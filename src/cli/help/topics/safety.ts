/** `help safety`: what stands between a mistake and forty thousand tickets. */

export const text = `
## Before anything is sent

Values are checked: ids, statuses, dates, booleans, e-mail addresses. The whole input is checked, to its last line, before the
first request. --undocumented lets values through that the interface does not show.

    $ supportctl ticket delete --input old.csv --dry-run
    $ supportctl ticket delete --input old.csv --expect 312

Deletes ask first, naming the count, the host and the profile. The answer is no unless you say yes. Without a terminal
they need --yes. A delete moves to the trash where the service has one; --force deletes for good. --force and --yes are
never the same.

--dry-run :: Prints each request, sends none
--expect N, --max N :: Stop where the number of rows is not what you think
--confirm PROFILE :: Needed for every write where the profile is protected
--only-changed, --diff :: For custom fields: send, or show, only what would change

"user delete" needs --reassign, and refuses to reassign to a user in the same set or to delete the account that is signed
in.

## While it runs

Ids stand in the path and never in the body, where some services would let them win. Rows of one id go in order. A request
whose answer was lost is sent again only where repeating it does no harm. "user check" is sent once.

Ctrl-C stops sending and waits for what is under way. A second Ctrl-C leaves at once; what was under way then has no
outcome in the journal, and resume sends it again.

## Afterwards

    $ supportctl run show last
    $ supportctl run rejects last --format csv
    $ supportctl run undo last

undo puts custom fields back that were set with --snapshot.

## Secrets

They are never taken from flags, never printed at any verbosity, and never in a journal or a report. http:// is refused
except to this machine. Redirects are not followed with credentials. What the service says is printed with its control
characters made visible.
`;
