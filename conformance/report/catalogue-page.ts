import { CATALOGUE } from '../catalogue/catalogue.js';
import type { Requirement } from '../catalogue/requirement.js';
import { SECTIONS } from '../catalogue/sections.js';
import { helpText } from '../command-line.js';
import type { Test } from '../run/test.js';
import { groupBy } from './group-by.js';

const INTRODUCTION = `# Conformance suite

Judges any server of the key-value log interface by its URL, whatever it is written in. It passes what the
specification allows, in every way that the specification leaves open, and fails what breaks a rule that can be seen
from outside. It knows nothing of this server: it lives in \`conformance/\` and imports nothing from \`src/\`.

## Start in two minutes

Your server runs at \`http://127.0.0.1:9000\`; Node.js 20.19 or newer is here:

\`\`\`sh
npm ci
npm run conformance -- --url http://127.0.0.1:9000 --quick
\`\`\`

The last line counts the tests; above it stand the verdict and, for each failure, the requirement that was broken, what was
expected and seen, the requests as \`curl\` commands, and how to run that test alone. Work on one thing at a time:

\`\`\`sh
npm run conformance -- --url http://127.0.0.1:9000 --only stream/seam           # one test
npm run conformance -- --url http://127.0.0.1:9000 --only 'COMMIT-MALFORMED-*'  # all tests of some requirements
npm run conformance -- --url http://127.0.0.1:9000 --section 4.4                # one section of the specification
npm run conformance -- --url http://127.0.0.1:9000 --watch                      # again after each restart of the server
\`\`\`

Then tell it what HTTP alone cannot do, so that nothing is skipped:

\`\`\`sh
npm run conformance -- --url http://127.0.0.1:9000 \\
  --restart-cmd ./restart.sh --truncation-keeps 1000 --max-commit-bytes 1048576 \\
  --min-request-id-length 20 --keepalive-timeout 15000 --subscriber-buffer-bytes 8388608 \\
  --report html=report.html,junit=report.xml
\`\`\`

\`restart.sh\` kills the server with SIGKILL, starts it again on the same address and the same data, and returns once it answers:

\`\`\`sh
#!/bin/sh
kill -9 "$(cat server.pid)"
./my-server --port 9000 --data ./data > server.log 2>&1 &
echo $! > server.pid
until curl -sf http://127.0.0.1:9000/ok > /dev/null; do sleep 0.1; done
\`\`\`

The server may hold data already, and others may write to it meanwhile: every key of the suite begins with \`conformance/\`, and
every policy that it makes is deleted at the end. (A few other keys are tried where the log began empty and nobody else has
written.) What it committed stays in the log. Quick runs take under 30 seconds on a fast server,
others under three minutes; \`--soak MINUTES\` goes on with new random cases for as long as you like.

A server that does not pass yet can still be guarded: list what fails in a file, one name of a test or requirement a line, and
\`--known-failing FILE\` fails the run only for something new, or for something in the list that passes now.

## How it judges

- **MUST**: stated by the specification; breaking it fails the run. **SHOULD**: reported as a warning. **OPEN**: left to the server; the report
  tells what was seen.
- *Soundness*: every transaction that the run commits is recorded from the stream and replayed in version order. One that committed although a key in one of its
  preconditions had changed is a failure, wherever in the run it happened. *Precision*, how many rejections were not needed, is
  measured and never fails: the specification allows conservative answers. A commit that has to succeed is retried as the specification asks clients to.
- A change is what changes the existence or content of a key. Whether a write of the same value, or a delete of what does not exist, counts as one is open.
- Facts are global: a version learnt anywhere (an answer, an event, a checkpoint) binds every answer to a request that is sent afterwards.
- Tests wait for conditions, never for a time. \`--patience\` is how long a condition may take before the test gives up and says what it waited for.
- Versions may have gaps, may be larger than 2^53, and may start anywhere. A leader may change at any time.

## Options

\`\`\`
`;

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function sectionTable(section: string, requirements: readonly Requirement[], tests: readonly Test[]): string {
  const rows = requirements.map(({ id, level, text, untestable }) => {
    const covering = tests.filter((test) => test.requirements.includes(id)).map(({ name }) => `\`${name}\``);
    const few = covering.length > 4 ? [...covering.slice(0, 3), `and ${covering.length - 3} more`] : covering;
    const how = untestable === undefined ? few.join(', ') : `not testable from outside: ${untestable}`;
    return `| \`${id}\` | ${level} | ${cell(text)} | ${cell(how)} |`;
  });
  return `### ${section} ${SECTIONS[section] ?? ''}\n\n| Requirement | Level | What holds | Tests |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

/** docs/conformance.md: how to use the suite, and the catalogue of requirements with the tests that cover each. */
export function renderCataloguePage(tests: readonly Test[]): string {
  const bySection = groupBy(CATALOGUE, ({ section }) => section);
  const tables = [...bySection].map(([section, requirements]) => sectionTable(section, requirements, tests));
  return `${INTRODUCTION}${helpText().trimEnd()}
\`\`\`

## Requirements

${CATALOGUE.length} requirements, ${tests.length} tests. IDs do not change; \`npm run conformance -- --list\` prints all tests of each. This part is made from
the catalogue by \`npm run docs:conformance\`.

${tables.join('\n')}`;
}
