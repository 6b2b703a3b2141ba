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
