import { asObject, stringField, versionField } from './decode.js';
import { ProtocolError } from './errors.js';
import type { Http, RetryOptions } from './http.js';
import type { RequestStatus } from './types.js';

/** Asks what became of a commit; see `HeadwaterClient.status`. */
export function requestStatus(
  http: Http,
  requestId: string,
  minVersion: number,
  options: RetryOptions = {},
): Promise<RequestStatus> {
  return http.retry(async () => {
    const { body } = await http.call({
      method: 'GET',
      path: 'v1/status',
      query: { request_id: requestId, min_version: minVersion },
      signals: [options.signal],
    });
    return decodeStatus(body);
  }, options);
}

function decodeStatus(body: unknown): RequestStatus {
  const reply = asObject(body, 'status reply');
  const status = stringField(reply, 'status');
  switch (status) {
    case 'committed':
      return { status, version: versionField(reply, 'version'), leaderId: stringField(reply, 'leader_id') };
    case 'id_not_found':
    case 'log_truncated':
      return { status };
    default:
      throw new ProtocolError(`unknown status "${status}"`);
  }
}
