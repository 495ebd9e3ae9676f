import type { Phase, Test } from '../run/test.js';
import { checkProperty } from './check-property.js';
import { InterfacePlay } from './interface-play.js';
import { showSteps, steps } from './interface-steps.js';

const QUICK = 6;
const NORMAL = 25;

const interfaceProperty = (
  name: string,
  title: string,
  where: { readonly phase: Phase; readonly needs: NonNullable<Test['needs']> },
  truncating: boolean,
): Test => ({
  name,
  title,
  requirements: [
    'STREAM-COMPLETE',
    'STREAM-SAME-LOG',
    'STREAM-AFTER-HELD',
    'LOG-SERIALIZABLE',
    'COMMIT-REQUEST-ID-REUSED',
    'COMMIT-WRITE',
    'COMMIT-REJECTED-NO-EFFECT',
    'STATUS-COMMITTED',
    'STATUS-MIN-VERSION',
    'STATUS-NOT-FOUND',
    'STATUS-NOT-IN-FLIGHT',
    'STATUS-LATE-ARRIVAL',
    'VERSION-NOT-BEHIND',
    'RETENTION-GET',
    'RETENTION-LIST',
    ...(truncating ? ['RETENTION-HONOURED'] : []),
  ],
  ...where,
  run: (t) =>
    checkProperty(
      t,
      'requests of several clients',
      steps(truncating),
      t.options.runs ?? t.scale(QUICK, NORMAL),
      showSteps,
      (all) => InterfacePlay.run(t, all),
    ),
});

export const interfaceModelTests: readonly Test[] = [
  interfaceProperty(
    'property/interface',
    'Whatever several clients ask for, in whatever order and at the same time, the answers fit together.',
    { phase: 'alone', needs: [] },
    false,
  ),
  interfaceProperty(
    'property/interface-truncating',
    'The same while the log is truncated now and then.',
    { phase: 'disruptive', needs: [['truncate', 'truncationKeeps']] },
    true,
  ),
];
