import { describe, expect, it } from 'vitest';
import { configFolder, stateFolder } from '../../src/profile/environment.js';

describe('folders', () => {
	it.each([
		[{ env: { HOME: '/h' } }, '/h/.config/supportctl', '/h/.local/state/supportctl'],
		[{ env: { HOME: '/h', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' } }, '/c/supportctl', '/s/supportctl'],
		[
			{ env: { HOME: '/h', XDG_CONFIG_HOME: 'c', XDG_STATE_HOME: 's' } },
			'/h/.config/supportctl',
			'/h/.local/state/supportctl',
		],
		[{ env: { HOME: '/h', SUPPORTCTL_CONFIG_DIR: '/a', SUPPORTCTL_STATE_DIR: '/b' } }, '/a', '/b'],
		[{ env: { HOME: '/h', SUPPORTCTL_CONFIG_DIR: 'a', SUPPORTCTL_STATE_DIR: './b' }, cwd: '/w' }, '/w/a', '/w/b'],
		[{ env: { HOME: '/h', SUPPORTCTL_CONFIG_DIR: '' } }, '/h/.config/supportctl', '/h/.local/state/supportctl'],
		[
			{ env: { APPDATA: '/roaming', LOCALAPPDATA: '/local', HOME: '/h' }, platform: 'win32' as const },
			'/roaming/supportctl',
			'/local/supportctl/state',
		],
	])('%j', (place, config, state) => {
		expect([configFolder(place), stateFolder(place)]).toEqual([config, state]);
	});
});
