/** What is to be done when a test ends, also where tests run at the same time: vitest itself knows only the last that began. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { onTestFinished } from 'vitest';

type Work = () => void | Promise<void>;
type OnTestFinished = (work: Work) => void;

const own = new AsyncLocalStorage<OnTestFinished>();

/** Does the work when the test that asks for it ends. */
export function whenTestEnds(work: Work): void {
	(own.getStore() ?? onTestFinished)(work);
}

/** Runs the body of a test that is not alone, with what its own context gives. */
export function besideOthers(onFinished: OnTestFinished, body: () => Promise<void>): Promise<void> {
	return own.run(onFinished, body);
}

export const runsBesideOthers = (): boolean => own.getStore() !== undefined;
