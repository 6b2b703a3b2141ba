/** `help formats`: how results are printed, picked and filtered. */

export const text = `
Results go to stdout, everything else goes to stderr. On a terminal results are a table that fits its width, long cells
and headers cut with an ellipsis. In a pipe they are the same columns, whole, apart by tabs and without a header: ready for
cut and awk.
A run that writes more than 50 rows shows on a terminal only those that need a look; a format or columns of your own show all.
Only api prints JSON as the service gave it, numbers to the last digit, until a format, fields or a query are asked for.

## Formats

table :: Columns with a header. Nothing is cut where stdout is no terminal
json :: One array of whole objects; one object where a command has one result. --json is --format json
ndjson :: An object a line, as outcomes come
csv :: The table's columns with a header, quoted where needed
tsv :: The same with tabs, as spreadsheets write it
yaml :: A sequence of whole objects
ids :: The id of each row, a line each: the next command's input. Profiles and runs have their names, checks of doctor theirs
count :: The number of rows

## Picking

--fields a,b.c :: These columns in this order. Dots go into objects; path=label names the header.
With "ticket fields get" the names of custom fields are columns too
--field a :: One bare value a line
--query EXPR :: JMESPath over the list of all results, or over the one object

    $ supportctl ticket update 14 15 --status hold --fields id,outcome,body.assignee
    $ supportctl ticket update 14 --status hold --field body.modified
    $ supportctl ticket update --input edits.csv --query "[?outcome=='failed'].[id, message]"
    $ supportctl ticket fields get 14 --field severity
    $ supportctl user id ann bob --format ids | supportctl user update - --roles agent

## What an outcome has

row :: Its place in the input, from 1
id, ticket_id, user_id, slug, taxonomy, username :: What the row is about, those that its path has
outcome :: ok, failed, invalid, unknown, skipped or not-sent
status :: The HTTP status, null where no answer came
code, message :: The service's, or this tool's
reasons :: Why the service refused fields, by field; only where it says so
warnings :: What is odd about the answer; only where something is
attempts, ms :: How often it was sent, and how long it took in all
differs :: Fields that the answer shows with another value than the one sent
body :: The answer

Tables show the ids, the outcome, each changed field as the service has it now, and a message where there is one. {raw,
rendered} is shown as its raw text.

## What is printed safely

A value whose key is named like a secret (password, token, authorization ...) is printed as [redacted] in every format.

Control characters, escape sequences, and marks that turn the direction of text are shown as escapes such as \\x1b and
\\u202e in tables, in the default of a pipe, and in ids and --field. json, ndjson and yaml escape them in their own
way, so that programs read the very value. csv and tsv hold the values as they are, except on a terminal: a
cell that begins with = stays a formula to a spreadsheet, so import such files as text.

Lines that a CI runner takes for a command (:: in front, ##[ anywhere) get a backslash. csv and tsv stay exact, except in
a log of GitHub, Azure or TeamCity.
`;
