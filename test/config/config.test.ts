import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConfigError, describeSettings, readConfig } from '../../src/config.js';

const file = (content: unknown) => () => JSON.stringify(content);

describe('settings', () => {
  test('have the documented defaults', () => {
    const config = readConfig([], {});
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.port, 8080);
    assert.equal(config['max-commit-bytes'], 1048576);
    assert.equal(config['retain-ms'], undefined);
    assert.equal(config['request-id-retain-ms'], 86400000);
  });

  test('come from flags before the environment, before the file', () => {
    const content = { port: 1, 'keepalive-ms': 100, 'retain-bytes': null };
    const config = readConfig(
      ['--port', '3', '--config', 'c.json'],
      { HEADWATER_PORT: '2', HEADWATER_KEEPALIVE_MS: '200', HEADWATER_RETAIN_MS: '5' },
      file(content),
    );
    assert.equal(config.port, 3);
    assert.equal(config['keepalive-ms'], 200);
    assert.equal(config['retain-ms'], 5);
    assert.equal(config['retain-bytes'], undefined);
  });

  test('that are wrong are named, with where they came from', () => {
    const wrong = (...args: Parameters<typeof readConfig>) => {
      try {
        readConfig(...args);
      } catch (error) {
        assert.ok(error instanceof ConfigError, String(error));
        return error.message;
      }
      return 'nothing was wrong';
    };
    assert.match(wrong(['--port', '70000'], {}), /--port must be an integer from 0 to 65535; it is "70000"/);
    assert.match(wrong(['--port', '-1'], {}), /port/);
    assert.match(
      wrong(['--conflict-window-versions', String(2 ** 30 + 1)], {}),
      /--conflict-window-versions must be an integer from 1 to 1073741824/,
    );
    assert.match(wrong([], { HEADWATER_PORT: 'http' }), /HEADWATER_PORT must be an integer/);
    assert.match(wrong([], { HEADWATER_PROT: '1' }), /HEADWATER_PROT in the environment is not a setting/);
    assert.match(wrong(['--config', 'c.json'], {}, file({ port: '' })), /port in c\.json must be/);
    assert.match(wrong(['--config', 'c.json'], {}, file({ prot: 1 })), /prot in c\.json is not a setting/);
    assert.match(
      wrong(['--config', 'c.json'], {}, () => '{'),
      /c\.json cannot be read/,
    );
    assert.match(wrong(['--config', 'c.json'], {}, file([])), /must hold a JSON object/);
    assert.match(wrong(['--prot', '1'], {}), /--prot/);
    assert.match(wrong(['extra'], {}), /extra/);
    assert.match(wrong(['--log-level', 'loud'], {}), /must be one of info, debug, warn, error/);
    assert.match(wrong(['--retain-ms', ''], {}), /--retain-ms must be/);
    assert.match(wrong(['--workers', '2'], {}), /--workers/);
  });

  test('are all in the help text', () => {
    const help = describeSettings();
    for (const name of Object.keys(readConfig([], {}))) assert.ok(help.includes(`--${name} <`), name);
  });
});
