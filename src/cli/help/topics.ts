/** The texts of the topics of `help`, which `help.ts` lists; `page.ts` says how they are written. */

const agents = `
"supportctl help --json" prints the command tree: summaries, arguments, flags with types, choices and defaults, method and path of
each request, whether it is documented, exit codes, and the help topics. "supportctl help ticket update --json" is one command.

--json :: Results are JSON on stdout. stderr has one JSON object a line and nothing else: {"error": ...}, {"warning": ...} and, after a run, {"summary": ...}
--dry-run :: Prints each request and sends none. Use it before every write
--yes :: Deletes, run undo and run prune ask; without a terminal they need --yes
--expect N, --max N :: Stop before the first request unless there are exactly N rows, or at most N
--confirm PROFILE :: Needed for writes with a protected profile

Secrets are read from stdin (--password-stdin), variables or a profile, never from a flag.

Each write of several rows, or from a file, is a run with a journal; {"summary": {"run": ID, "next": [...]}} names it and the
next commands. A run that was stopped or killed can be resumed. "supportctl help exit-codes" has the exit codes. The code of an
error, such as "invalid_value", stays the same between versions; its message may change.

    $ supportctl ticket update 14 15 --status hold --dry-run --json
    $ supportctl ticket update 14 15 --status hold --expect 2 --json
    $ supportctl run show last --json
    $ supportctl run resume last --yes --json
    $ supportctl run rejects last --format csv
`;

const bulk = `
Every update and delete takes one id, several, or a file with one row each. The whole input is checked before the first
request is sent, every run keeps a journal, and a run that was stopped or killed can be resumed.

## Input
<id>... :: Ids as arguments; flags give every row its values
- :: One id a line on stdin: cut -f1 list.tsv | supportctl ticket update - --status hold
--input FILE :: csv, tsv, ndjson, ids or a JSON array, by the file's name or content; .gz too; - is stdin

CSV and TSV start with a header. Columns are field names (ticket_priority and ticket-priority are the same) and the ids of
the path: id, ticket_id, user_id, slug, taxonomy; reassign and force work as columns too. For "ticket fields set" every
other column is a custom field. In NDJSON and JSON values keep their types.

A row's own cell beats a flag. An empty cell leaves the field alone; with --blank clear it empties the field. A row that
leaves every field alone is skipped.

--map COLUMN=FIELD, --ignore-column COLUMN :: Uses a column as a field, or ignores it; an unknown one is an error
--skip-invalid :: Sends the valid rows and rejects the others; without it one invalid cell stops everything

## Speed and limits
-j, --concurrency N :: Requests at a time (default 4); auto sends more while that makes the run faster, at most 64. Rows of the same id are sent one after another, in input order
--rate N, --retries N :: At most N requests a second; how often a request is retried (default 4), with growing pauses
--stop-on-error, --max-failures N :: Stops at the first row that fails, or when more than N have failed

429 and 503 slow the whole run, and Retry-After is obeyed. A 401 ends the run; a 403 fails its row. A run that can't connect,
or would have to wait for more than 10 minutes, ends and can be resumed.

## Outcomes
ok :: Done
differs :: Done, but the response shows another value than the one sent; --allow-differs makes it ok with a warning
failed :: Refused by the service, with the reason
invalid :: The row can't be sent as it is
unknown :: Sent, and no usable response: neither success nor failure
skipped :: Nothing to do: each field is left alone, or with --only-changed has its value already
not-sent :: Not sent: the run stopped before it, or could not connect

An update sets values, so it is sent again after a lost response. A delete with a 404 or 410 after a lost response is ok;
--ignore-missing makes these ok in any case.

## Journals: resume, retry, undo
Each run has a journal in the state folder, or at --journal FILE, without secrets. A row counts as done when its record is in
the file, so kill -9 loses none. Ctrl-C stops sending, waits for requests under way and prints how to resume.

    # sends what is not done; refuses an input that has changed
    $ supportctl run resume last
    # sends the failed rows again, as they are
    $ supportctl run retry last
    # or edit them first: the columns of the input, and "error"
    $ supportctl run rejects last --format csv > rejects.csv

RUN is a run's id, a unique start of one, "last" for the newest, or a journal's path. --report html:run.html writes a
report (junit, json, markdown and csv too). With --snapshot the old values are kept and can be restored:

    $ supportctl ticket fields set --input fields.csv --only-changed --snapshot
    $ supportctl run undo last

## Several machines
--shard K/N takes the rows whose id falls to part K of N: each row is in exactly one shard, and all rows of an id are in the
same one. Every shard checks the whole input and keeps a journal of its own. Divide --rate by the number of shards.
docs/ci.md has recipes for CI services, GNU parallel and Kubernetes.
`;

const environment = `
A flag beats the environment, which beats the profile, which beats the default. "supportctl profile show" shows where each
setting comes from.

## Connection
SUPPORTCTL_PROFILE :: The stored profile to use
SUPPORTCTL_BASE_URL :: What comes before /support-api/v1, for example https://desk.example.com/wp-json
SUPPORTCTL_USERNAME, SUPPORTCTL_PASSWORD :: The user name, and the password or application password
SUPPORTCTL_TOKEN :: The token of the bearer scheme, or the value of the header scheme
SUPPORTCTL_..._FILE :: Each of these five can name a file that holds the value, as container secrets are mounted: SUPPORTCTL_PASSWORD_FILE
HTTPS_PROXY, HTTP_PROXY, NO_PROXY :: Proxies, in capital or small letters

## Folders
SUPPORTCTL_CONFIG_DIR :: Profiles; by default supportctl in XDG_CONFIG_HOME or ~/.config
SUPPORTCTL_STATE_DIR :: Journals of runs; by default supportctl in XDG_STATE_HOME or ~/.local/state

## Terminal
SUPPORTCTL_PAGER, PAGER :: The pager for output longer than the screen; less -FRX by default, "cat" or an empty value for none
NO_COLOR :: Any value: no colour
FORCE_COLOR :: Any value but 0: colour, in a pipe too. NO_COLOR and --no-color beat it
TERM=dumb, CI :: No colour unless it is forced; with TERM=dumb no pager, and progress as plain lines
GITHUB_ACTIONS=true :: Failures of runs also become annotations
`;

const exitCodes = `
0 :: All rows ok
1 :: Failed: the service refused, something could not be done, or only the output failed
2 :: Usage error, invalid input, or cancelled: nothing was written
3 :: Some rows failed and others did not
4 :: Not signed in, or the service refused the account that is signed in (401, 403)
5 :: The outcome is unknown: sent, and no usable response
6 :: Done, but the service shows other values than those sent (differs)
10 :: "user check": the credentials are wrong
130 :: Interrupted with Ctrl-C or a signal

Where rows of a run had different outcomes, the order is 130, 4 for a 401, 3 or 1, 5, 6, 0. An unknown outcome is neither
success nor failure: the row may have been changed. Check before you send a delete again; updates set values and can be
repeated. If printing fails after a write, the exit code is that of the write, or 1 where all rows are ok.
`;

const formats = `
Results go to stdout, everything else goes to stderr. On a terminal results are a table that fits its width, with long cells
cut. In a pipe they are the same columns, whole, separated by tabs, without a header. A run of more than 50 rows prints on a
terminal only the rows that did not go well, unless you choose a format or columns.

## Formats
table :: Columns with a header. Nothing is cut where stdout is no terminal
json :: An array of whole objects; one object where one thing is shown, as by "ticket get 14". --json is --format json
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

    $ supportctl ticket update --input edits.csv --query "[?outcome=='failed'].[id, message]"
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

## Safe output
A value whose key is named like a secret (password, token, authorization ...) is printed as [redacted] in every format. Control
characters and escape sequences are printed as escapes such as \\x1b; csv and tsv in a file or a pipe hold values as they are.
`;

const profiles = `
A profile is a named base URL with credentials and defaults, stored on disk. "login" makes the first one: it tries the
credentials with a request that changes nothing before it stores them.

    $ supportctl login https://desk.example.com/wp-json
    $ supportctl login --profile staging https://staging.example.com/wp-json
    $ supportctl ticket update 14 --status hold --profile staging

## Schemes
basic :: A user name and a password, or an application password; the default
bearer :: A token
header :: A header of your choice (--header-name), whose value is the secret
none :: No credentials

## Secrets
A secret is stored in the system's keyring where there is one, else in the profile file (mode 0600), with a notice.
--insecure-storage chooses the file. --secret-command runs a command at each use and stores nothing. In CI use
SUPPORTCTL_PASSWORD, SUPPORTCTL_TOKEN or their _FILE forms. A secret never comes from a flag, where others could read it.

A profile that --profile names beats SUPPORTCTL_BASE_URL, _USERNAME, _PASSWORD and _TOKEN, which are then ignored with a
warning; a profile that SUPPORTCTL_PROFILE or "profile use" chooses does not. A stored secret is sent only to the host, user
and scheme of its profile.

## Settings of a profile
    $ supportctl profile set desk --concurrency 8 --rate 20 --format json

--protected :: Every write needs --confirm PROFILE
--allow-http :: Allows http:// to other hosts than this machine
--concurrency, --rate, --timeout, --format :: Defaults for the flags of these names
--ca-file, --cert, --key :: Certificates for TLS
--product-prefix, --shop-prefix, --membership-prefix :: A deployment's own words for support, shop and shopm in paths, fields and statuses
`;

const safety = `
## Before anything is sent
Values are checked: ids, statuses, dates, booleans, e-mail addresses. The whole input is checked, to its last line, before the
first request. --undocumented allows names and values that the API does not document.

Deletes ask first; the question names the ids or their count, trash or permanent, the host and the profile. Without a terminal
they need --yes. A delete moves to the trash where the service has one; --force deletes permanently.

-n, --dry-run :: Prints method, path and body of each request and sends none
--expect N, --max N :: Stop unless there are exactly N rows, or at most N, all shards together
--confirm PROFILE :: Needed for every write where the profile is protected
--only-changed, --if FIELD=VALUE :: Read each object first, and send only what changes, or only rows that match
--snapshot :: Keeps the old values, for "run undo"

## While it runs
After a lost response a request is sent again only where repeating it changes nothing; "user check" is sent once. Ctrl-C
stops sending and waits for requests under way. A second one leaves at once; "run resume" then sends rows without an outcome again.

## Secrets
They are never taken from flags, never printed at any verbosity, and never in a journal or a report. http:// is refused
except to this machine. Redirects are not followed with credentials.
`;

export const texts = {
	agents,
	bulk,
	environment,
	'exit-codes': exitCodes,
	formats,
	profiles,
	safety,
};
