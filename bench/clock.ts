/**
 * Milliseconds, from any beginning: of the wall clock, or of the processor time that this process has used, which
 * tells more on a machine that does other work at the same time.
 */
export type Clock = () => number;

export const wallClock: Clock = () => performance.now();

export const processorClock: Clock = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
