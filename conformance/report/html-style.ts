/** Text and ground of each outcome; the third is for bars and dots. All texts reach a contrast of 4.5 to 1. */
const LIGHT = `
  --ground: #f8f7f4; --card: #ffffff; --text: #22262b; --quiet: #5b636c; --line: #e2dfd8; --code: #f4f2ee; --link: #2b5890;
  --pass: #1c6a45; --pass-ground: #e3f1e9; --pass-solid: #4f9f77;
  --fail: #a3262d; --fail-ground: #fbe8e7; --fail-solid: #c9484d;
  --warn: #855000; --warn-ground: #faeed7; --warn-solid: #d69a35;
  --skip: #4a5866; --skip-ground: #e9edf1; --skip-solid: #9aa8b5;
  --open: #2b5890; --open-ground: #e4edf8; --open-solid: #6c9bd2;
  --untested: #625c6e; --untested-ground: #efedf2; --untested-solid: #cbc6d3;`;

const DARK = `
  --ground: #14171a; --card: #1b1f23; --text: #e2e5e8; --quiet: #9ba5af; --line: #2e343a; --code: #15191c; --link: #8fb8ea;
  --pass: #83d0a5; --pass-ground: #183126; --pass-solid: #4b9a72;
  --fail: #f2979a; --fail-ground: #3c1e21; --fail-solid: #cb565b;
  --warn: #e6b865; --warn-ground: #362a14; --warn-solid: #bd8a33;
  --skip: #aebbc7; --skip-ground: #272e35; --skip-solid: #6b7a88;
  --open: #94baea; --open-ground: #1c2b3f; --open-solid: #4f7fb8;
  --untested: #b5aec2; --untested-ground: #2a2731; --untested-solid: #534e5e;`;

const PAGE = `
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { max-width: 66rem; margin: 0 auto; padding: 3rem 1.5rem 6rem; }
h1, h2, h3, h4, h5, p, ul, dl, dd, pre { margin: 0; padding: 0; }
ul { list-style: none; }
h2 { font-size: 1.35rem; font-weight: 600; line-height: 1.3; margin: 3.5rem 0 .75rem; letter-spacing: -.01em; }
h3 { font-size: 1.05rem; font-weight: 600; line-height: 1.4; }
h4, h5 { font-size: .8rem; font-weight: 600; color: var(--quiet); margin: 1.25rem 0 .4rem; }
h5 { margin-top: .75rem; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
code, pre, .id, .url, .at, .who, .status, .line { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .84em; }
code, .id, .url { overflow-wrap: anywhere; }
pre { font-size: .8rem; line-height: 1.5; background: var(--code); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; white-space: pre-wrap; overflow-wrap: anywhere; overflow-y: auto; max-height: 26rem; tab-size: 4; }
.command { -webkit-user-select: all; user-select: all; }
.lead, .quiet, .size, .took, .amount, .level { color: var(--quiet); }
.amount { font-weight: 400; font-size: .85em; }
.scroll { overflow-x: auto; }
summary { cursor: pointer; }
.number { font-variant-numeric: tabular-nums; color: var(--quiet); font-weight: 400; }`;

const OUTCOMES = `
.badge { display: inline-block; padding: .05rem .5rem; border-radius: 4px; font-size: .75rem; font-weight: 600; line-height: 1.5; white-space: nowrap; }
.badge.pass { color: var(--pass); background: var(--pass-ground); }
.badge.fail { color: var(--fail); background: var(--fail-ground); }
.badge.warn { color: var(--warn); background: var(--warn-ground); }
.badge.skip { color: var(--skip); background: var(--skip-ground); }
.badge.open { color: var(--open); background: var(--open-ground); }
.badge.untested { color: var(--untested); background: var(--untested-ground); }
.bar .pass, .dot.pass { background: var(--pass-solid); }
.bar .fail, .dot.fail { background: var(--fail-solid); }
.bar .warn, .dot.warn { background: var(--warn-solid); }
.bar .skip, .dot.skip { background: var(--skip-solid); }
.bar .open, .dot.open { background: var(--open-solid); }
.bar .untested, .dot.untested { background: var(--untested-solid); }`;

const HEADER = `
.kind { color: var(--quiet); font-size: .9rem; }
h1 { font-size: 2.4rem; font-weight: 650; letter-spacing: -.02em; line-height: 1.2; margin: .25rem 0 .5rem; display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem; }
h1 .url { font-size: 1rem; font-weight: 400; letter-spacing: 0; color: var(--quiet); }
.passed .verdict { color: var(--pass); }
.failed .verdict { color: var(--fail); }
.incomplete .verdict { color: var(--warn); }
.broken { margin-top: .5rem; }
.broken li { padding: .15rem 0; }
.bar { display: flex; gap: 2px; height: .6rem; margin: 1.75rem 0 .7rem; border-radius: 4px; overflow: hidden; }
.bar span { flex-basis: 0; min-width: 4px; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; font-size: .9rem; color: var(--quiet); }
.legend b { color: var(--text); font-weight: 600; }
.dot { display: inline-block; width: .6rem; height: .6rem; border-radius: 2px; margin-right: .3rem; }
.facts { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin-top: 1.75rem; font-size: .92rem; }
dt { color: var(--quiet); font-size: .8rem; }
nav { border: solid var(--line); border-width: 1px 0; margin-top: 2rem; padding: .65rem 0; font-size: .92rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .35rem 1.5rem; }`;

const MATRIX = `
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th { text-align: left; font-weight: 400; }
thead th { color: var(--quiet); font-size: .8rem; }
.matrix { font-variant-numeric: tabular-nums; line-height: 1.4; }
.matrix th, .matrix td { padding: .28rem .6rem; border-bottom: 1px solid var(--line); }
.matrix th:first-child { padding-left: 0; }
.matrix td, .matrix thead th:not(:first-child) { text-align: right; width: 5rem; }
.matrix tbody a { display: flex; color: inherit; }
.matrix .number { flex: 0 0 2.75rem; }
.matrix tfoot th, .matrix tfoot td { border: 0; font-weight: 600; padding-top: .5rem; }
.matrix .none { color: var(--quiet); font-weight: 400; }
.matrix .pass { color: var(--pass); }
.matrix .fail { color: var(--fail); background: var(--fail-ground); font-weight: 600; }
.matrix .warn { color: var(--warn); background: var(--warn-ground); font-weight: 600; }
.matrix .skip { color: var(--skip); }
.matrix .open { color: var(--open); }
.matrix .untested { color: var(--untested); }`;

const FINDINGS = `
.finding { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.25rem 1.5rem 1.5rem; margin-top: 1.25rem; }
.labels { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem .75rem; font-size: .85rem; }
.level { font-size: .78rem; }
.finding h3 { margin: .6rem 0 .9rem; }
.finding .said { color: var(--text); font-size: .86rem; background: var(--fail-ground); border-color: transparent; }
.finding.warn .said { background: var(--warn-ground); }
.test { display: flex; flex-wrap: wrap; gap: .75rem 2.5rem; margin-top: 1.1rem; font-size: .92rem; }
.finding details > summary, .exchanges h4 { font-size: .85rem; font-weight: 600; color: var(--quiet); }
.timeline { margin-top: 1.1rem; }
.timeline .scroll { max-height: 30rem; overflow-y: auto; border: 1px solid var(--line); border-radius: 6px; margin-top: .5rem; }
.timeline table { font-size: .84rem; }
.timeline th, .timeline td { padding: .22rem .8rem; vertical-align: top; border-bottom: 1px solid var(--line); }
.timeline tr:last-child td { border-bottom: 0; }
.timeline thead th { position: sticky; top: 0; background: var(--card); }
.timeline .at { text-align: right; white-space: nowrap; width: 1%; font-variant-numeric: tabular-nums; color: var(--quiet); }
.timeline .who { white-space: nowrap; width: 1%; }
.timeline .what { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 14rem; }
.timeline .gap { color: var(--quiet); text-align: center; }
.exchange-list { border: 1px solid var(--line); border-radius: 6px; }
.exchange { padding: 0 .8rem; }
.exchange + .exchange { border-top: 1px solid var(--line); }
.exchange[open] { padding-bottom: .9rem; }
.finding .exchange > summary { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline; padding: .35rem 0; color: var(--text); font-weight: 400; font-size: .9rem; list-style: none; }
.exchange > summary::-webkit-details-marker { display: none; }
.exchange > summary::before { content: "\\25B8"; color: var(--quiet); width: .5rem; }
.exchange[open] > summary::before { content: "\\25BE"; }
.exchange .at { min-width: 4.75rem; text-align: right; color: var(--quiet); }
.exchange .line { flex: 1 1 9rem; overflow-wrap: anywhere; }
.exchange .took { font-size: .8rem; min-width: 4.5rem; text-align: right; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 0 1rem; }
.message { min-width: 0; }
.size { font-size: .8rem; margin: .5rem 0 .25rem; }
.error { color: var(--fail); font-size: .9rem; margin-top: .75rem; overflow-wrap: anywhere; white-space: pre-wrap; }`;

const REQUIREMENTS = `
.part > h3 { margin: 2.25rem 0 .25rem; padding-bottom: .4rem; border-bottom: 1px solid var(--line); }
.part .number { margin-right: .6rem; }
.requirement { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); padding: .7rem 0; border-bottom: 1px solid var(--line); }
.requirement:last-child { border-bottom: 0; }
.requirement:target, .finding:target { outline: 2px solid var(--link); outline-offset: 4px; border-radius: 6px; }
.requirement .labels { color: var(--quiet); margin-top: .1rem; }
.requirement details, .why, .links, .seen { font-size: .88rem; margin-top: .3rem; }
.requirement summary { color: var(--quiet); width: fit-content; }
.requirement .tests { margin: .3rem 0 .3rem 1.1rem; }
.tests li { padding: .25rem 0; overflow-wrap: anywhere; }
.why { color: var(--quiet); font-style: italic; }
.links { display: flex; flex-wrap: wrap; gap: 0 1rem; overflow-wrap: anywhere; }
.seen { display: flex; gap: .9rem; }
.seen > p { color: var(--open); font-weight: 600; }
.seen ul { min-width: 0; }
.seen li { overflow-wrap: anywhere; white-space: pre-wrap; }
.reason { padding: .5rem 0; border-bottom: 1px solid var(--line); }
.names { margin: .4rem 0 .4rem 1.1rem; columns: 22rem; font-size: .92rem; }`;

const NARROW = `
@media (max-width: 40rem) {
  main { padding: 1.75rem 1rem 4rem; }
  h1 { font-size: 2rem; }
  .matrix { font-size: .84rem; }
  .matrix th, .matrix td { padding: .35rem .3rem; }
  .matrix td, .matrix thead th:not(:first-child) { width: 1.9rem; }
  .matrix thead th:not(:first-child) { writing-mode: vertical-rl; rotate: 180deg; text-align: left; line-height: 1.9rem; padding: .3rem 0; }
  .timeline .what { min-width: 9rem; }
  .timeline th, .timeline td { padding: .22rem .4rem; }
  .matrix .number { flex-basis: 2rem; }
  .finding { padding: 1rem; border-radius: 8px; }
  .requirement { grid-template-columns: minmax(0, 1fr); gap: .25rem; }
  .exchange .took { display: none; }
  .exchange .at { min-width: 0; text-align: left; }
  .exchange .line { flex-basis: 60%; }
}`;

/** On paper nothing scrolls, and only requests stay folded: there can be hundreds. */
const PRINT = `
@media print {
  body { background: #fff; font-size: 10pt; }
  main { max-width: none; padding: 0; }
  nav { display: none; }
  pre, .timeline .scroll { max-height: none; overflow: visible; }
  details:not(.exchange)::details-content { content-visibility: visible; display: block; block-size: auto; }
  h2, h3, h4, h5, summary { break-after: avoid; }
  .requirement, .timeline tr, .matrix tr { break-inside: avoid; }
  .badge, .bar, .dot, .said, .matrix td { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}`;

/** The style of the page, in light and dark. */
export const STYLE = [
  `:root { color-scheme: light dark; ${LIGHT} }`,
  `@media screen and (prefers-color-scheme: dark) { :root { ${DARK} } }`,
  PAGE,
  OUTCOMES,
  HEADER,
  MATRIX,
  FINDINGS,
  REQUIREMENTS,
  NARROW,
  PRINT,
].join('\n');
