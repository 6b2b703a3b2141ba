import { expect, it } from 'vitest';
import { runSettings } from '../../../src/cli/rows/settings.js';

it('a flag beats the profile, which beats the default', () => {
	const profile = { concurrency: 9, rate: 1 };
	expect(runSettings({ concurrency: 2, rate: 5 }, profile)).toMatchObject({ concurrency: 2, rate: 5 });
	expect(runSettings({}, profile)).toMatchObject({ concurrency: 9, rate: 1 });
	expect(runSettings({}, {})).toMatchObject({ concurrency: 4, rate: undefined, retries: 4 });
});
