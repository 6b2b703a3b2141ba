/** The short topics of `help`; `readPage` describes how they are written. */

export const agents = `
Everything that a program or an agent needs on one page.

## Find commands

    $ supportctl help --json
    $ supportctl help ticket update --json

This prints the command tree: summaries, arguments, flags with types, choices and defaults, method and path of each request,
whether it is documented, exit codes, and the help topics.

## Rules

--json :: Results are JSON on stdout. stderr has one JSON object a line and nothing else: {"error": ...}, {"warning": ...} and, after a run, {"summary": ...}
--dry-run :: Prints each request and sends none. Use it before every write
--yes :: Deletes and run undo ask; without a terminal they need --yes
--expect N :: Stops before the first request unless there are exactly N rows
--max N :: Stops if there are more than N rows
--confirm PROFILE :: Needed for writes with a protected profile

Secrets are read from stdin (--password-stdin), variables or a profile, never from a flag.

## Example

    $ supportctl ticket update 14 15 --status hold --dry-run --json
    $ supportctl ticket update 14 15 --status hold --expect 2 --json
    $ supportctl run show last --json

## Exit codes

0 :: All rows ok
1 :: Failed
2 :: Usage error, invalid input or cancelled; nothing was sent
3 :: Some rows failed, others did not
4 :: Not signed in, or refused (401, 403)
5 :: Unknown outcome: sent, and no usable response. Read the object before you send a delete again
6 :: Done, but the response shows other values
130 :: Interrupted

## Runs and journals

Each write of several rows, or from a file, is a run with a journal; {"summary": {"run": ID, "next": [...]}} names it and the
next commands. A run that was stopped or killed can be resumed, and no finished row is sent twice.

    $ supportctl run list --json
    $ supportctl run resume last --yes --json
    $ supportctl run retry last --yes --json
    $ supportctl run rejects last --format csv

The code of an error, such as "invalid_value" or "rest_ticket_invalid_id", stays the same between versions; its message may change.
`;

export const environment = `
A flag beats the environment, which beats the profile, which beats the default. "supportctl profile show" shows where each
setting comes from.

## Connection

SUPPORTCTL_PROFILE :: The stored profile to use
SUPPORTCTL_BASE_URL :: What comes before /support-api/v1, for example https://desk.example.com/wp-json
SUPPORTCTL_USERNAME :: The user name
SUPPORTCTL_PASSWORD :: The password or application password
SUPPORTCTL_TOKEN :: The token of the bearer scheme, or the value of the header scheme
SUPPORTCTL_..._FILE :: Each of these five can name a file that holds the value, as container secrets are mounted: SUPPORTCTL_PASSWORD_FILE

## Folders

SUPPORTCTL_CONFIG_DIR :: Profiles; by default supportctl in XDG_CONFIG_HOME or ~/.config
SUPPORTCTL_STATE_DIR :: Journals of runs; by default supportctl in XDG_STATE_HOME or ~/.local/state

## Network

HTTPS_PROXY, HTTP_PROXY, NO_PROXY :: Proxies, in capital or small letters

## Terminal

SUPPORTCTL_PAGER, PAGER :: The pager for output longer than the screen; less -FRX by default, "cat" or an empty value for none
NO_COLOR :: Any value: no colour
FORCE_COLOR :: Any value but 0: colour, in a pipe too. NO_COLOR and --no-color beat it
TERM :: dumb: no colour, no pager, and progress as plain lines
CI :: No colour, unless it is forced
GITHUB_ACTIONS :: true: failures of runs also become annotations

## Examples

    # a job without a stored profile
    $ export SUPPORTCTL_BASE_URL=https://desk.example.com/wp-json
    $ export SUPPORTCTL_USERNAME=robot
    $ export SUPPORTCTL_PASSWORD_FILE=/run/secrets/desk
    $ supportctl ticket update 14 --status hold
`;

export const exitCodes = `
0 :: All rows ok
1 :: Failed: the service refused, something could not be done, or only the output failed
2 :: Usage error, invalid input, or cancelled: nothing was written
3 :: Some rows failed and others did not
4 :: Not signed in, or the service refused the caller (401, 403)
5 :: The outcome is unknown: sent, and no usable response
6 :: Done, but the service shows other values than those sent (differs)
10 :: "user check": the credentials are wrong
130 :: Interrupted with Ctrl-C or a signal

A single request ends with 0, 1, 4, 5 or 6. Where rows of a run had different outcomes, the order is 130, 4 for a 401, 3 or 1,
5, 6, 0. An unknown outcome is neither success nor failure: the row may have been changed. Check before you send a delete
again; updates set values and can be repeated.

Unknown columns and invalid queries are refused before anything is sent. If printing fails after a write, the exit code is
that of the write, or 1 where all rows are ok, with an error that says that only the output failed.

## In scripts

    supportctl ticket update 14 --status hold
    case $? in
      0) echo done ;;
      4) echo 'sign in again: supportctl login' ;;
      5) echo 'unknown outcome: check ticket 14' ;;
      6) echo 'done, but another value is shown' ;;
      *) echo failed ;;
    esac

With --json errors are objects on stderr, {"error": {"code": ..., "message": ..., "hint": ..., "exitCode": ...}}. The code
stays the same between versions; the message may change.
`;

export const formats = `
Results go to stdout, everything else goes to stderr. On a terminal results are a table that fits its width, with long cells
cut. In a pipe they are the same columns, whole, separated by tabs, without a header: ready for cut and awk. A run of more
than 50 rows prints on a terminal only the rows that did not go well; a format or columns of your own print all rows.

## Formats

table :: Columns with a header. Nothing is cut where stdout is no terminal
json :: One array of whole objects; one object where a command has one result. --json is --format json
ndjson :: One object a line, as rows end
csv :: The columns of the table with a header, quoted where needed
tsv :: The same with tabs, as spreadsheets write it
yaml :: A sequence of whole objects
ids :: The id of each row, one a line: the next command's input
count :: The number of rows

## Columns and queries

--fields a,b.c :: These columns in this order. Dots go into objects; path=label names the header. With "ticket fields get" names of custom fields are columns too
--field a :: One bare value a line
--query EXPR :: JMESPath over the list of all results, or over the one object

    $ supportctl ticket update 14 15 --status hold --fields id,outcome,body.assignee
    $ supportctl ticket update 14 --status hold --field body.modified
    $ supportctl ticket update --input edits.csv --query "[?outcome=='failed'].[id, message]"
    $ supportctl ticket fields get 14 --field severity
    $ supportctl user id ann bob --format ids | supportctl user update - --roles agent

## Keys of an outcome

row :: Its place in the input, from 1
id, ticket_id, user_id, slug, taxonomy, username :: The ids of the row's path
outcome :: ok, differs, failed, invalid, unknown, skipped or not-sent
status :: The HTTP status, null without a response
code, message :: The service's, or this tool's
reasons :: Why the service refused fields, by field; only where it says so
warnings :: Problems of the response; only where there are some
attempts, ms :: How often it was sent, and how long it took in all
differs :: Fields that the response shows with another value than the one sent
body :: The response

Tables show the ids, the outcome, each changed field as the service has it now, and a message where there is one. {raw,
rendered} is shown as its raw text.

## Safe output

A value whose key is named like a secret (password, token, authorization ...) is printed as [redacted] in every format.

Control characters, escape sequences and characters that change the direction of text are printed as escapes such as \\x1b and
\\u202e in tables, in the default of a pipe, and in ids and --field. json, ndjson and yaml escape them in their own way, so
that programs read the original value. csv and tsv hold values as they are, except on a terminal: a cell that begins with =
stays a formula to a spreadsheet, so import such files as text.

Lines that a CI runner would take for a command (:: in front, ##[ anywhere) get a backslash. csv and tsv stay exact, except in
a log of GitHub, Azure or TeamCity.
`;

export const profiles = `
A profile is a named base URL with credentials and defaults, stored on disk. "login" makes the first one.

    $ supportctl login https://desk.example.com/wp-json
    $ supportctl login --profile staging https://staging.example.com/wp-json --username ann --password-stdin < secret
    $ supportctl profile list
    $ supportctl profile use staging
    $ supportctl ticket update 14 --status hold --profile staging

login tries the credentials with a request that changes nothing before it stores them.

## Schemes

basic :: A user name and a password, or an application password; the default
bearer :: A token
header :: A header of your choice (--header-name), whose value is the secret
none :: No credentials

## Secrets

A secret is stored in the system's keyring where there is one, else in the profile file (mode 0600), with a notice.
--insecure-storage chooses the file. --secret-command runs a command at each use and stores nothing. In CI use
SUPPORTCTL_PASSWORD, SUPPORTCTL_TOKEN or their _FILE forms. A secret never comes from a flag, where others could read it.

    $ supportctl login --secret-command 'pass show desk'
    $ supportctl profile show
    $ supportctl logout

A profile that --profile names beats SUPPORTCTL_BASE_URL, _USERNAME, _PASSWORD and _TOKEN, which are then ignored with a
warning; the profile in use, or one that SUPPORTCTL_PROFILE names, does not. A stored secret is sent only to the host, user
and scheme of its profile. Where --base-url or SUPPORTCTL_BASE_URL names another host, the profile in use is ignored; one that
is named with --profile keeps its settings, but not its secret.

"profile show" prints where the secret is stored and where each setting comes from, never the secret itself.

## Settings of a profile

    $ supportctl profile set desk --concurrency 8 --rate 20 --format json
    $ supportctl profile set desk --protected
    $ supportctl profile set desk --unset rate

--protected :: Every write needs --confirm PROFILE
--allow-http :: Allows http:// to other hosts than this machine
--concurrency, --rate, --timeout :: Defaults for the flags of these names
--format :: Default format of commands that send requests
--ca-file, --cert, --key :: Certificates for TLS
--product-prefix, --shop-prefix, --membership-prefix :: A deployment's own words for support, shop and shopm in paths, fields and statuses

"supportctl profile path" prints the file.
`;

export const safety = `
## Before anything is sent

Values are checked: ids, statuses, dates, booleans, e-mail addresses. The whole input is checked, to its last line, before the
first request. --undocumented allows names and values that the API does not document.

    $ supportctl ticket delete --input old.csv --dry-run
    $ supportctl ticket delete --input old.csv --expect 312

Deletes ask first; the question names the ids or their count, trash or permanent, the host and the profile. Without a terminal
they need --yes. A delete moves to the trash where the service has one; --force deletes permanently.

--dry-run :: Prints each request, sends none
--expect N, --max N :: Stop where the number of rows is not what you expect
--confirm PROFILE :: Needed for every write where the profile is protected
--only-changed, --if FIELD=VALUE :: Read each object first, and send only what changes, or only rows that match
--snapshot :: Keeps the old values, for "run undo"

"user delete" needs --reassign, and refuses to reassign to a user in the same set or to delete the account that is signed in.

## While it runs

Ids are sent in the path, never in the body. Rows of one id are sent in order. After a lost response a request is sent again
only where repeating it changes nothing. "user check" is sent once.

Ctrl-C stops sending and waits for open requests. A second Ctrl-C leaves at once; "run resume" then sends the rows again that
have no outcome in the journal.

## Afterwards

    $ supportctl run show last
    $ supportctl run rejects last --format csv
    $ supportctl run undo last

## Secrets

They are never taken from flags, never printed at any verbosity, and never in a journal or a report. http:// is refused
except to this machine. Redirects are not followed with credentials. Control characters in the service's text are printed as
escapes.
`;
