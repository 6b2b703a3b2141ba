/** The columns that our own commands add to what they print, so that it can be fed in again and none of them is sent. */

/** Whether the run takes the input's own column of that name for something. */
export type IsTaken = (name: string) => boolean;

/** The column in which `run rejects` gives the reason. */
const ERROR_COLUMN = 'error';

/** The columns that `ticket fields get` adds to a sheet of custom fields. */
export const OUTCOME_COLUMNS: readonly string[] = ['outcome', 'message'];

function firstFree(name: string, isTaken: IsTaken): string {
	let free = name;
	for (let number = 2; isTaken(free); number++) free = `${name}_${number}`;
	return free;
}

/**
 * The name under which `run rejects` gives the reason: `rejected_because` where the input's own `error` is sent, so that
 * what is fed in again with the run's flags never has the reason for a value.
 */
export function reasonColumn(isTaken: IsTaken): string {
	return isTaken(ERROR_COLUMN) ? firstFree('rejected_because', isTaken) : ERROR_COLUMN;
}

/** Whether a column may be one of reasons, also where the run that it comes from had other flags. */
export function isReasonColumn(name: string): boolean {
	return name === ERROR_COLUMN || /^rejected_because(?:_\d+)?$/.test(name);
}

/**
 * The name under which `run rejects` gives the whole of a row that has more cells than the header has columns, or fewer.
 * No command accepts a row with something under it, so that what was cut off or made up is never sent.
 * @param isTaken Has to hold for columns that are left out too: such a one would stop nothing.
 */
export function asWrittenColumn(isTaken: IsTaken): string {
	return firstFree('as_written', isTaken);
}

/** Whether a column may be one of rows as they were written. */
export function isAsWrittenColumn(name: string): boolean {
	return /^as_written(?:_\d+)?$/.test(name);
}
