/** `help bulk`: many rows with the same commands, from input to undo, on one machine or on several. */

export const text = String.raw`
Every update and delete takes one id, several, or a file with a row each. The whole input is checked before the first
request is sent, every run keeps a journal, and a run that was stopped or killed goes on where it was.

    # look first, then run
    $ supportctl ticket update --input edits.csv --dry-run
    $ supportctl ticket update --input edits.csv

## Where rows come from

<id>... :: Ids as arguments; flags give every row its values
- :: One id a line on stdin: cut -f1 list.tsv | supportctl ticket update - --status hold
--input FILE :: csv, tsv, ndjson, ids or a JSON array, by the file's name or content; .gz too
--input - :: Rows on stdin; --input-format names the format where it can't be told

CSV and TSV start with a header. Columns are field names (ticket_priority and ticket-priority are the same) and the ids of
the path: id, ticket_id, user_id, slug, taxonomy; reassign and force work as columns too. For "ticket fields set" every
other column is a custom field. NDJSON has an object a line and JSON an array of them, as --json writes it; values keep their types.

    id,status,assignee
    14,hold,7
    15,publish,

A row's own cell beats a flag. An empty cell leaves the field alone; with --blank clear it empties the field. A row that
leaves every field alone is skipped; an input that names no field, where no flag does, is an error.

--map COLUMN=FIELD :: Takes a column for a field
--ignore-column COLUMN :: Skips a column; an unknown one is an error that names the nearest
--id-column COLUMN :: Where the ids have another header
--skip-invalid :: Sends the good rows and rejects the others; without it one bad cell stops everything

## Guards

Deletes ask first and name the count, the host and the profile. Without a terminal they need --yes.

-n, --dry-run :: Prints method, path and body of each request and sends none
--expect N :: Stops unless the input has exactly N rows, whatever falls to a shard
--max N :: Stops if the input has more than N rows
--confirm PROFILE :: Needed for every write with a profile that is marked protected

See "supportctl help safety".

## How fast

-j, --concurrency N :: Requests under way at a time (default 4). Rows of the same id go one after another, in input order
--rate N :: At most N requests a second
--retries N :: How often a lost or put-off request is tried again (default 4), with growing pauses
--timeout S :: How long one attempt may take (default 30)

A service that answers 429 or 503 slows the whole run, and its Retry-After is obeyed. A 401 ends the run at once; a 403
fails its row. A run that reaches nobody for 8 seconds, or for 5 minutes once it has reached somebody, ends and can be
resumed; so does one that is asked to wait for more than 10 minutes.

--stop-on-error :: Stops at the first failure
--max-failures N :: Stops when more than N rows have failed

## What became of each row

ok :: The service did it
differs :: Done, but the response shows another value than the one sent
failed :: The service said no, and why
invalid :: The row can't be sent as it is
unknown :: Sent, and no answer: neither success nor failure
skipped :: Nothing to do: each field is left alone, or with --only-changed has its value already
not-sent :: Not carried out: the run stopped before it, or nobody could be reached

An update sets values, so it is sent again after a lost answer. A delete that is answered 404 or 410 after a lost answer is
ok; --ignore-missing makes these ok in any case. Where the response shows a field that was sent, the two are
compared: another value makes the row "differs" (exit code 6). It was carried out, so a resume does not send it again;
"run rejects" gives it back. --allow-differs takes such rows for ok with a warning, --allow-differs=slug,meta those that
differ in nothing else.

## Journals: stop, kill, resume, undo

Each run has a journal in the state folder, or at --journal FILE. It holds no secrets and only its owner can read it. A row
counts as done when its record is in the file, so that kill -9 loses none; the disk itself follows within a quarter of a
second, and after a power cut the rows of that time are sent again. Ctrl-C stops sending, waits for what is under way and says how to go on.

    $ supportctl run list
    $ supportctl run show last
    # sends what is not done, and no row that is
    $ supportctl run resume last
    # the failed rows in the input's own columns plus "error", to be mended and fed in again
    $ supportctl run rejects last --format csv > again.csv

RUN is a run's id, a unique beginning of one, "last" for the one that was started last, or a journal's path. Resume
refuses an input that has changed.

Custom fields can be put back:

    $ supportctl ticket fields set --input fields.csv --only-changed --snapshot
    $ supportctl run undo last

## Reports

    $ supportctl ticket update --input edits.csv --report junit:out.xml --report markdown:summary.md

Formats are junit, json, markdown and csv. Rows that the run ended without have no line of their own: junit and csv have
one for all of them, json counts them as not_reached, and "run rejects RUN --outcome not-sent" gives them back from the
input. Under GitHub Actions failures and complaints also become annotations with the input's file and line.

## More than one machine

--shard K/N takes the rows whose id falls to part K of N. Each row is in exactly one shard, and all rows of an id are in the
same one, so shards need no talk among themselves. Every shard checks the whole input and keeps a journal of its own. The
service's limits are shared by all shards: divide --rate by their number.

GNU parallel over ssh, the input copied to every host, on each of which somebody has signed in:

    $ parallel -j1 -S host1,host2,host3,host4 --basefile edits.csv --joblog jobs.log \
        supportctl ticket update --input edits.csv --shard {}/4 --rate 10 --quiet ::: 1 2 3 4

A matrix in GitHub Actions, for a repository that holds the tarball that "npm pack" writes in a checkout of supportctl:

    jobs:
      edit:
        runs-on: ubuntu-latest
        strategy:
          fail-fast: false
          matrix:
            shard: [1, 2, 3, 4]
        steps:
          - uses: actions/checkout@v4
          - run: npm install --global ./supportctl-*.tgz
          - run: supportctl ticket update --input edits.csv --shard ${'$'}{{ matrix.shard }}/4 --rate 10
            env:
              SUPPORTCTL_BASE_URL: ${'$'}{{ vars.DESK_URL }}
              SUPPORTCTL_USERNAME: ${'$'}{{ vars.DESK_USER }}
              SUPPORTCTL_PASSWORD: ${'$'}{{ secrets.DESK_PASSWORD }}

An indexed job in Kubernetes, whose index starts at 0 where shards start at 1, with the tarball beside the input:

    apiVersion: batch/v1
    kind: Job
    metadata:
      name: desk-edit
    spec:
      completions: 4
      parallelism: 4
      completionMode: Indexed
      backoffLimit: 0
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: edit
              image: node:22
              command: [sh, -c]
              args:
                - npm install --global /data/supportctl-*.tgz &&
                  supportctl ticket update --input /data/edits.csv
                  --shard $((JOB_COMPLETION_INDEX + 1))/4 --rate 10
                  --journal /data/journal-$JOB_COMPLETION_INDEX.ndjson
              envFrom:
                - secretRef:
                    name: desk
              volumeMounts:
                - name: data
                  mountPath: /data
          volumes:
            - name: data
              persistentVolumeClaim:
                claimName: desk-edits

The journal is on a disk that outlives the container, so a shard that died is finished by "run resume FILE" on any machine
that has the input; --input says where, if it is elsewhere. The run's profile is used where it is stored; elsewhere the
machine's own settings have to name the same service, SUPPORTCTL_BASE_URL for instance, and --confirm takes the name of
the run's profile if that was protected. A shard that was killed in another container keeps its journal for a minute more.
`;
