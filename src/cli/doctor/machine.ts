/** Checks of this machine alone: Node, the file of profiles, the profile in use, and where its secret lives. */

import type { Situation } from '../../profile/resolve.js';
import type { StoreReading } from '../../profile/store.js';
import { type Finding, fail, failed, pass, remedies, warn } from './finding.js';

/** Whether a version is at least another; both are three numbers. */
function isAtLeast(version: string, least: string): boolean {
	const [left, right] = [version, least].map((each) => each.split('.').map(Number));
	for (const [index, wanted] of (right as number[]).entries()) {
		const has = left?.[index] ?? 0;
		if (has !== wanted) return has > wanted;
	}
	return true;
}

/** @param engines as package.json has it: `>=20.18.1` */
export function checkNode(version: string, engines: string): Finding {
	const least = /(\d+\.\d+\.\d+)/.exec(engines)?.[1] ?? '0.0.0';
	if (isAtLeast(version, least)) return pass('node', `Node ${version}`);
	return fail('node', `Node ${version} is older than ${least}`, `install Node ${least} or later`);
}

/** What could be read of the file of profiles, or the error that reading it gave. */
export type ConfigReading = { reading: StoreReading; mode: number | undefined } | { error: unknown };

/** @param elsewhere where settings come from if not from the file, for instance `SUPPORTCTL_BASE_URL` */
export function checkConfig(config: ConfigReading, elsewhere: string | undefined): Finding {
	if ('error' in config) return failed('config', config.error);
	const { reading, mode } = config;
	if (!reading.exists) {
		return elsewhere === undefined
			? warn('config', `${reading.file} is not there: no profile is stored`, 'supportctl login stores one')
			: pass('config', `${reading.file} is not there; settings come from ${elsewhere}`);
	}
	const count = Object.keys(reading.store.profiles).length;
	const shown = mode === undefined ? '' : `, mode ${(mode & 0o777).toString(8).padStart(4, '0')}`;
	if (reading.warnings.length === 0)
		return pass('config', `${reading.file}${shown}, ${count} ${count === 1 ? 'profile' : 'profiles'}`);
	const parts = reading.warnings.map((warning) => warning.split(/: (?=chmod )/));
	const remedy = parts.flatMap(([, ...commands]) => commands).join('; ');
	return warn('config', parts.map(([what]) => what).join('; '), remedy || remedies.config);
}

/** Which settings are in force. @param situation or the error that resolving them gave */
export function checkProfile(situation: Situation | { error: unknown }): Finding {
	if ('error' in situation) return failed('profile', situation.error);
	const { profileName, chosenBy, profile, settings, sources } = situation;
	if (profileName !== undefined) {
		const by = chosenBy === 'current' ? 'the one in use' : `named by ${chosenBy}`;
		const guards = settings.protected ? ', protected: writes need --confirm' : '';
		const own = profile?.baseUrl === undefined ? ', without a base URL' : '';
		return pass('profile', `"${profileName}", ${by}${own}${guards}`);
	}
	const { name } = sources.baseUrl;
	if (settings.baseUrl !== undefined) return pass('profile', `none; the base URL comes from ${name}`);
	return fail(
		'profile',
		'none is stored, and no base URL is given',
		'supportctl login signs in; supportctl sandbox runs a local mock API',
	);
}

export interface SecretState {
	/** `password`, `token`, `header-value`. */
	noun: string;
	/** `set`, `not set`, `not needed`, `not used`. */
	state: string;
	/** Where it is, or why it is not used. */
	source: string;
}

/** Where the secret lives. @param problem what fetching it gave, where that failed */
export function checkSecretStore({ noun, state, source }: SecretState, problem: unknown, hint: string): Finding {
	const name = noun.replace('-', ' ');
	if (state === 'not needed') return pass('secret', `none is needed (${source})`);
	if (state === 'not set') return fail('secret', `no ${name} is stored or given`, hint);
	if (state === 'not used') return fail('secret', source, hint);
	if (problem !== undefined) return failed('secret', problem);
	return pass('secret', `${name} from the ${source.replace(/^environment /, 'environment variable ')}`);
}
