/** `help bulk`: many rows with the same commands, from input to undo, on one machine or on several. */

export const text = String.raw`
Every update and delete takes one id, several, or a file with one row each. The whole input is checked before the first
request is sent, every run keeps a journal, and a run that was stopped or killed can be resumed.

    # look first, then run
    $ supportctl ticket update --input edits.csv --dry-run
    $ supportctl ticket update --input edits.csv

## Input

<id>... :: Ids as arguments; flags give every row its values
- :: One id a line on stdin: cut -f1 list.tsv | supportctl ticket update - --status hold
--input FILE :: csv, tsv, ndjson, ids or a JSON array, by the file's name or content; .gz too
--input - :: Rows on stdin; --input-format names the format if the content does not show it

CSV and TSV start with a header. Columns are field names (ticket_priority and ticket-priority are the same) and the ids of
the path: id, ticket_id, user_id, slug, taxonomy; reassign and force work as columns too. For "ticket fields set" every
other column is a custom field. NDJSON has an object a line and JSON an array of them, as --json writes it; values keep their types.

    id,status,assignee
    14,hold,7
    15,publish,

A row's own cell beats a flag. An empty cell leaves the field alone; with --blank clear it empties the field. A row that
leaves every field alone is skipped; an input that names no field, where no flag does, is an error.

--map COLUMN=FIELD :: Uses a column as a field
--ignore-column COLUMN :: Ignores a column; an unknown one is an error that names the nearest field
--id-column COLUMN :: The column of the ids, if it has another header
--skip-invalid :: Sends the valid rows and rejects the others; without it one invalid cell stops everything

## Guards

Deletes ask first; the question names the ids or their count, the host and the profile. Without a terminal they need --yes.

-n, --dry-run :: Prints method, path and body of each request and sends none
--expect N :: Stops unless the input has exactly N rows, all shards together
--max N :: Stops if the input has more than N rows
--confirm PROFILE :: Needed for every write with a protected profile

See "supportctl help safety".

## Speed and limits

-j, --concurrency N :: Requests at a time (default 4). Rows of the same id are sent one after another, in input order
--rate N :: At most N requests a second
--retries N :: How often a request is retried (default 4), with growing pauses
--timeout S :: How long one attempt may take (default 30)

429 and 503 slow the whole run, and Retry-After is obeyed. A 401 ends the run; a 403 fails its row. A run that can't connect
for 8 seconds, or for 5 minutes after it has connected once, ends and can be resumed; so does one that would have to wait for
more than 10 minutes.

--stop-on-error :: Stops at the first row that fails
--max-failures N :: Stops when more than N rows have failed

## Outcomes

ok :: Done
differs :: Done, but the response shows another value than the one sent
failed :: Refused by the service, with the reason
invalid :: The row can't be sent as it is
unknown :: Sent, and no usable response: neither success nor failure
skipped :: Nothing to do: each field is left alone, or with --only-changed has its value already
not-sent :: Not sent: the run stopped before it, or could not connect

An update sets values, so it is sent again after a lost response. A delete with a 404 or 410 after a lost response is ok;
--ignore-missing makes these ok in any case. Where the response shows a field that was sent, the two are compared: another
value makes the row "differs" (exit code 6). It is done, so a resume does not send it again; "run rejects" exports it.
--allow-differs makes such rows ok with a warning, --allow-differs=slug,meta those that differ in nothing else.

## Journals: resume, retry, undo

Each run has a journal in the state folder, or at --journal FILE. It holds no secrets and only its owner can read it. A row
counts as done when its record is in the file, so kill -9 loses none; after a power cut the rows of the last quarter of a
second are sent again. Ctrl-C stops sending, waits for open requests and prints how to resume.

    $ supportctl run list
    $ supportctl run show last
    # sends what is not done
    $ supportctl run resume last
    # sends the failed rows again, as they are
    $ supportctl run retry last
    # or edit them first: the columns of the input, and "error"
    $ supportctl run rejects last --format csv > rejects.csv

RUN is a run's id, a unique beginning of one, "last" for the newest, or a journal's path. Resume refuses an input that has
changed.

With --snapshot the old values are kept and can be restored:

    $ supportctl ticket fields set --input fields.csv --only-changed --snapshot
    $ supportctl run undo last

## Reports

    $ supportctl ticket update --input edits.csv --report junit:out.xml --report markdown:summary.md

Formats are junit, json, markdown and csv. Rows that a stopped run did not reach have no line of their own: junit and csv have
one for all of them, json counts them as not_reached, and "run rejects RUN --outcome not-sent" exports them. Under GitHub
Actions failures and invalid rows also become annotations with the input's file and line.

## Several machines

--shard K/N takes the rows whose id falls to part K of N. Each row is in exactly one shard, and all rows of an id are in the
same one, so shards are independent. Every shard checks the whole input and keeps a journal of its own. The
service's limits are shared by all shards: divide --rate by their number.

GNU parallel over ssh, the input copied to every host, where you have signed in:

    $ parallel -j1 -S host1,host2,host3,host4 --basefile edits.csv --joblog jobs.log \
        supportctl ticket update --input edits.csv --shard {}/4 --rate 10 --quiet ::: 1 2 3 4

docs/ci.md has recipes for CI services and Kubernetes.

A shard that was killed is finished by "run resume FILE" on any machine that has its journal and the input; --input says where
the input is now. The profile and settings of that machine must name the same service. A shard that was killed in another
container keeps its journal locked for a minute.
`;
