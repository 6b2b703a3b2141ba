/** Keeps what a row's request holds in secret out of everything that is said of the row. */

import type { RunRow } from '../../bulk/engine.js';
import type { Outcome } from '../../http/outcome.js';
import { isSecretName, redact, redactTexts } from '../../output/redact.js';
import type { Survey } from './survey.js';

/** Texts of the row's request that must not be repeated anywhere. */
function secretsOf(sent: Readonly<Record<string, unknown>> | undefined): string[] {
	const found: string[] = [];
	const walk = (value: unknown, secret: boolean): void => {
		if (typeof value === 'string' && secret && value !== '') found.push(value);
		else if (typeof value === 'object' && value !== null) {
			for (const [name, inner] of Object.entries(value)) walk(inner, secret || isSecretName(name));
		}
	};
	walk(sent, false);
	return found;
}

/** What the service holds under a secret name is no better to be shown than what was sent. */
function withoutHeld(outcome: Outcome): Outcome {
	if (outcome.differs === undefined) return outcome;
	const differs = outcome.differs.map(({ field, sent, shown }) => ({
		field,
		sent: redact({ [field]: sent })[field],
		shown: redact({ [field]: shown })[field],
	}));
	return { ...outcome, differs };
}

/** Makes a row's outcome free of secrets: those that its answer shows, and its request's, wherever the service repeated them. */
export function createOutcomeScrubber(survey: Survey): (outcome: Outcome, row: RunRow) => Outcome {
	if (!survey.hasSecrets) return withoutHeld;
	return (outcome, row) => {
		const secrets = secretsOf(row.request.sent);
		return withoutHeld(secrets.length === 0 ? outcome : (redactTexts(outcome, secrets) as Outcome));
	};
}
