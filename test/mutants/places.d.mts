interface Place {
	file: string;
	was: string;
	becomes: string;
	loss: string;
	tests: readonly string[];
}

export const root: string;
export function textWith(bug: Place): string;
export function lostPlaces(planted?: readonly Place[]): string[];
