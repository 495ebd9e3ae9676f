import type { Fault } from './fault.js';

/** What it can get wrong in the health check and the metrics. */
export const serviceFaults = [
  {
    name: 'ok-answered-204',
    about: 'Answers 204 to the health check.',
    requirements: ['OK-ANSWERS'],
  },
  {
    name: 'ok-redirected',
    about: 'Redirects the health check.',
    requirements: ['OK-ANSWERS'],
  },
  {
    name: 'ok-unavailable-until-first-commit',
    about: 'Answers 503 to the health check until the first commit.',
    requirements: ['OK-ANSWERS'],
  },
  {
    name: 'metrics-as-json',
    about: 'Answers metrics as JSON.',
    requirements: ['METRICS-FORMAT'],
  },
  {
    name: 'metric-names-with-dots',
    about: 'Names metrics with dots.',
    requirements: ['METRICS-FORMAT'],
  },
  {
    name: 'metric-labels-unquoted',
    about: 'Leaves the values of labels without quotes.',
    requirements: ['METRICS-FORMAT'],
  },
  {
    name: 'metric-values-with-units',
    about: 'Writes units behind values.',
    requirements: ['METRICS-FORMAT'],
  },
  {
    name: 'cpu-under-another-name',
    about: 'Names the CPU time differently.',
    requirements: ['METRICS-CPU'],
  },
  {
    name: 'cpu-declared-as-gauge',
    about: 'Declares the CPU time as a gauge.',
    requirements: ['METRICS-CPU'],
  },
  {
    name: 'cpu-without-help',
    about: 'Leaves out HELP.',
    requirements: ['METRICS-CPU'],
  },
  {
    name: 'cpu-without-type',
    about: 'Leaves out TYPE.',
    requirements: ['METRICS-CPU'],
  },
  {
    name: 'cpu-since-last-scrape',
    about: 'Answers the CPU time since the last scrape.',
    requirements: ['METRICS-CPU'],
  },
  {
    name: 'cpu-as-load',
    about: 'Answers the load, which goes up and down.',
    requirements: ['METRICS-CPU'],
  },
] as const satisfies readonly Fault[];
