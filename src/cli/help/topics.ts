/** The topics of `help`, each loaded when it is asked for. */

export interface TopicEntry {
	readonly name: string;
	/** One line for lists. */
	readonly summary: string;
	load(): Promise<{ text: string }>;
}

export const topics: readonly TopicEntry[] = [
	{
		name: 'bulk',
		summary: 'Many rows: input, guards, journals, more than one machine',
		load: () => import('./topics/bulk.js'),
	},
	{ name: 'exit-codes', summary: 'What the exit code says', load: () => import('./topics/exit-codes.js') },
	{ name: 'environment', summary: 'The variables that are read', load: () => import('./topics/environment.js') },
	{ name: 'formats', summary: 'Output formats, picking and filtering', load: () => import('./topics/formats.js') },
	{ name: 'profiles', summary: 'Where settings and secrets live', load: () => import('./topics/profiles.js') },
	{
		name: 'safety',
		summary: 'What stands between a mistake and many tickets',
		load: () => import('./topics/safety.js'),
	},
];
