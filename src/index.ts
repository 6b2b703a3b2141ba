/** What the package offers to programs: the typed client, the table that it is made of, and the words of its results. */

export type { AppliedDifference } from './api/applied.js';
export type { Prefixes } from './api/dialect.js';
export { type Endpoint, type EndpointName, endpoints } from './api/endpoints.js';
export { type Field, type FieldKind, type TicketStatus, ticketStatuses } from './api/fields.js';
export { type CallResult, SupportClient, type SupportClientOptions } from './client/support-client.js';
export type { CallInput } from './client/types.js';
export { ExitCode, SupportctlError, UsageError } from './errors.js';
export type { Outcome, OutcomeName } from './http/outcome.js';
export type { Auth, ProxySettings } from './net.js';
export { version } from './version.js';
