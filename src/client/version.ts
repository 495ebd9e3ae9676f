import { asObject, stringField, versionField } from './decode.js';
import type { Http } from './http.js';
import type { RequestOptions, VersionInfo } from './types.js';

/** Asks for a committed version; see `HeadwaterClient.version`. */
export function latestVersion(http: Http, options: RequestOptions = {}): Promise<VersionInfo> {
  return http.retry(async () => {
    const { body } = await http.call({ method: 'GET', path: 'v1/version', signals: [options.signal] });
    const reply = asObject(body, 'version reply');
    return { version: versionField(reply, 'version'), leaderId: stringField(reply, 'leader_id') };
  }, options);
}
