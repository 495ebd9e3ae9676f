export type { BackoffOptions } from './backoff.js';
export { HeadwaterClient, type HeadwaterClientOptions } from './client.js';
export type { Clock } from './clock.js';
export {
  CommitLostError,
  ContendedError,
  GapError,
  HeadwaterError,
  type HeadwaterFailure,
  IndeterminateError,
  NetworkError,
  OutcomeTruncatedError,
  OutcomeUnknownError,
  type Problem,
  type ProblemFault,
  ProtocolError,
  RefusedError,
  ReplyError,
  ServerError,
  TruncatedError,
  UnavailableError,
} from './errors.js';
export { Subscription } from './subscription.js';
export { type FailedRound, type Transacted, Transaction, type TransactOptions } from './transact.js';
export type * from './types.js';
