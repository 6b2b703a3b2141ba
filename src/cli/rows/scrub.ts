/** Keeps what a row's request holds in secret out of everything that is said of the row. */

import type { RunRow } from '../../bulk/engine.js';
import type { Outcome } from '../../http/outcome.js';
import { createTextRedactor, redact, redactName, redactNames, redactTexts, secretValues } from '../../output/redact.js';
import type { Survey } from './survey.js';

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

export interface OutcomeScrubber {
	/** Blacks out the row's secrets in what the service says of it; undefined where it has none. */
	wordsOf(row: RunRow): ((text: string) => string) | undefined;
	/** Makes the outcome free of the secrets that its answer shows, and of its request's, wherever the service repeated them. */
	scrub(outcome: Outcome, row: RunRow): Outcome;
}

/** What is ours in an outcome stays: a secret that is an ordinary word must not change what became of the row. */
function withoutSecrets(outcome: Outcome, secrets: readonly string[]): Outcome {
	const { code, reasons, body, differs } = outcome;
	const clean = { ...outcome };
	if (code !== undefined) clean.code = redactName(code, secrets);
	if (reasons !== undefined) clean.reasons = redactNames(reasons, secrets);
	if (body !== undefined) clean.body = redactTexts(body, secrets);
	if (differs !== undefined) {
		clean.differs = differs.map(({ field, sent, shown }) => ({
			field,
			sent: redactTexts(sent, secrets),
			shown: redactTexts(shown, secrets),
		}));
	}
	return clean;
}

export function createOutcomeScrubber(survey: Survey): OutcomeScrubber {
	if (!survey.hasSecrets) return { wordsOf: () => undefined, scrub: withoutHeld };
	const secretsOfRow = ({ request }: RunRow): string[] => secretValues(request.sent);
	return {
		wordsOf(row) {
			const secrets = secretsOfRow(row);
			return secrets.length === 0 ? undefined : createTextRedactor(secrets);
		},
		scrub(outcome, row) {
			const secrets = secretsOfRow(row);
			return withoutHeld(secrets.length === 0 ? outcome : withoutSecrets(outcome, secrets));
		},
	};
}
