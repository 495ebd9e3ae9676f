import type { Exchange } from '../run/result.js';
import { type Markup, markup, NOTHING } from './html-markup.js';
import { bodySize, statusOf } from './words.js';

const message = (
  title: string,
  head: string,
  body: string,
  bytes: number,
): Markup => markup`<div class="message">
<h5>${title}</h5>
<pre>${head}</pre>
${bytes > 0 ? markup`<p class="size">Body, ${bodySize(body, bytes)}</p><pre>${body}</pre>` : NOTHING}
</div>`;

const pathOf = (url: string, base: string): string =>
  url.startsWith(base) ? url.slice(base.length) || '/' : url;

/** One request and its answer, folded to a line; `base` is left out of its address. */
export function exchangeBlock(exchange: Exchange, base: string, isOpen: boolean): Markup {
  const { startedMs, endedMs, error, curl } = exchange;
  const took = endedMs === undefined ? 'not ended' : `${(endedMs - startedMs).toFixed(1)} ms`;
  const answer =
    exchange.responseHead === '' && exchange.responseBytes === 0
      ? markup`<div class="message"><h5>Response</h5><p class="size">None.</p></div>`
      : message('Response', exchange.responseHead, exchange.responseBody, exchange.responseBytes);
  return markup`<details class="exchange"${isOpen ? markup` open=""` : NOTHING}>
<summary><span class="at">${startedMs.toFixed(1)} ms</span> <span class="line"><b>${exchange.method}</b> ${pathOf(exchange.url, base)}</span> <span class="status">${statusOf(exchange)}</span> <span class="took">${took}</span></summary>
<div class="pair">
${message('Request', exchange.requestHead, exchange.requestBody, exchange.requestBytes)}
${answer}
</div>
${error === undefined ? NOTHING : markup`<p class="error">${error}</p>`}
<h5>As a command</h5>
<pre class="command">${curl}</pre>
</details>
`;
}
