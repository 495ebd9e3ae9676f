import { Counter, Rate, Trend } from 'k6/metrics';

/** From a commit request to its answer, milliseconds; tag `phase`. */
export const commitMs = new Trend('commit_ms', true);

/** Answers to commits; tags `phase` and `outcome`: committed, not_committed, refused, unknown. */
export const commitAnswers = new Counter('commit_answers');

/** Commits that were answered `committed`; each of them has to be found in the stream. */
export const acknowledgedCommits = new Counter('acknowledged_commits');

/** True for each request that was not answered as the interface says. */
export const requestErrors = new Rate('request_errors');

/** Acknowledged commits that were looked up when the load had ended. */
export const lookups = new Counter('lookups');

/** True for each acknowledged commit of the sample whose lookup says the same as its answer did. */
export const lookupsAgree = new Rate('lookups_agree');

/** True for each commit that took no longer than the limit from the baseline's 95th, and 99th, percentile. */
export const withinP95Limit = new Rate('commits_within_p95_limit');
export const withinP99Limit = new Rate('commits_within_p99_limit');

/** `GET /v1/version`, `GET /v1/status` and `/v1/retention/`, milliseconds; tag `request`. */
export const otherMs = new Trend('other_ms', true);
