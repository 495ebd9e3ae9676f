import { lookups, lookupsAgree, requestErrors } from './metrics.ts';
import { getStatus } from './service.ts';
import { LOGS_ACKNOWLEDGED } from './settings.ts';

/** A commit that was answered `committed`. */
interface Acknowledged {
  readonly requestId: string;
  readonly version: number;
  readonly readVersion: number;
}

/** How many each virtual user looks up at the end. */
const SAMPLE = 10;

/** An even sample of what this virtual user was told. */
const sample: Acknowledged[] = [];
let seen = 0;

/** Remembers a sample of them, and writes all of them down if the runner reads along. */
export function acknowledge(commit: Acknowledged): void {
  if (LOGS_ACKNOWLEDGED) console.log(`acknowledged ${commit.requestId} ${commit.version}`);
  seen += 1;
  const place = sample.length < SAMPLE ? sample.length : Math.floor(Math.random() * seen);
  if (place < SAMPLE) sample[place] = commit;
}

/** Looks the sample up; a scenario that begins when the load has ended. */
export function lookUpSample(): void {
  for (const { requestId, version, readVersion } of sample.splice(0)) {
    try {
      const { answer } = getStatus(requestId, readVersion);
      const agrees = answer.status === 'committed' && answer.version === version;
      lookups.add(1);
      lookupsAgree.add(agrees);
      requestErrors.add(false);
      if (!agrees) console.error(`${requestId} was acknowledged at ${version}: ${JSON.stringify(answer)}`);
    } catch (error) {
      requestErrors.add(true);
      console.error(String(error));
    }
  }
}
