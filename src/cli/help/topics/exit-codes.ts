/** `help exit-codes`: what a script may conclude from the exit code. */

export const text = `
0 :: All rows ok
1 :: Failed: the service said no, something could not be done, or all went well and only the output failed
2 :: Usage, invalid input, or a question refused: nothing was sent, unless to read
3 :: Some rows failed and others did not
4 :: Not signed in, or the service refused the caller (401, 403)
5 :: The outcome is unknown: sent, and no response
6 :: Done, but the service shows other values than those sent (differs)
10 :: "user check": the credentials are wrong
130 :: Interrupted with Ctrl-C or a signal

A single request is a run of one row: it ends with 0, 1, 4, 5 or 6. Where rows of a run had different outcomes, the order is 130, 4 for a 401,
3 or 1, 5, 6, 0. An unknown outcome is neither success nor failure: the row
may have been changed. Look before sending a delete again; updates set values and can be repeated.

Columns and queries that can't be used are refused before anything is sent. What only the answer shows, such as a query that does
not fit it, changes no exit code but 0: what was read can be read again, and ends with 1 or 2; what was written stays written, and
ends with 1 and an error that says that only the output failed. A body.NAME that no row has is a warning.

## In scripts

    supportctl ticket update 14 --status hold
    case $? in
      0) echo done ;;
      4) echo 'sign in again: supportctl login' ;;
      5) echo 'no response: look at ticket 14' ;;
      6) echo 'done, but another value is shown' ;;
      *) echo failed ;;
    esac

With --json errors are objects on stderr, {"error": {"code": ..., "message": ..., "hint": ..., "exitCode": ...}}, whose code
stays the same from version to version where the message may not.
`;
