import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import type { Config } from './config.js';
import { Core } from './core/core.js';
import { Decider } from './core/decider.js';
import { TransactionPacker } from './core/transaction-packer.js';
import { Feed } from './feed/feed.js';
import { createApp } from './http/app.js';
import { BodyBudget } from './http/body-budget.js';
import { HttpMetrics } from './http/metrics.js';
import { HttpServer } from './http/server.js';
import { Leader, type LeaderObserver } from './leader/leader.js';
import { FileLog } from './log/file/file-log.js';
import { lockDirectory } from './log/file/lock.js';
import { NodeDisk } from './log/file/node-disk.js';
import type { LogEvent } from './log/file/notify.js';
import type { Logger } from './logger.js';
import { filePolicyStore } from './retention/file-policy-store.js';
import { RetentionPolicies } from './retention/policies.js';
import type { PolicyStore } from './retention/policy-store.js';
import { TruncationWorker } from './retention/truncation.js';

const POLICIES_FILE = 'policies';
/** Open files that are not connections: segments, indexes, standard streams, and room to spare. */
const FILES_RESERVED = 256;

/** Log events that somebody may have to look into. */
const WARNINGS: readonly LogEvent[] = ['tail-cut', 'seal-failed', 'preparation-failed'];

/** The whole server: the rooms, wired together. */
export class Service {
  readonly #config: Config;
  readonly #logger: Logger;
  readonly #log: FileLog;
  readonly #leader: Leader;
  readonly #feed: Feed;
  readonly #truncation: TruncationWorker;
  readonly #http: HttpServer;

  private constructor(parts: {
    config: Config;
    logger: Logger;
    log: FileLog;
    leader: Leader;
    feed: Feed;
    truncation: TruncationWorker;
    http: HttpServer;
  }) {
    this.#config = parts.config;
    this.#logger = parts.logger;
    this.#log = parts.log;
    this.#leader = parts.leader;
    this.#feed = parts.feed;
    this.#truncation = parts.truncation;
    this.#http = parts.http;
  }

  /** Where requests are served. */
  get url(): string {
    return this.#http.url;
  }

  /**
   * Recovers the log, starts a term, then serves.
   * @throws LogError when the directory is locked or damaged or takes no writes, and what `listen` throws.
   */
  static async start(config: Config, logger: Logger): Promise<Service> {
    const directory = path.resolve(config['data-dir']);
    const disk = new NodeDisk();
    const log = await FileLog.open({
      directory,
      disk,
      segmentBytes: config['segment-bytes'],
      lock: lockDirectory,
      notify: (event, fields) => logger[WARNINGS.includes(event) ? 'warn' : 'info'](fields, event),
    });
    try {
      const policies = filePolicyStore(disk, path.join(directory, POLICIES_FILE), log.core);
      return await Service.#startOn(log, policies, config, logger);
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  static async #startOn(
    log: FileLog,
    policyStore: PolicyStore,
    config: Config,
    logger: Logger,
  ): Promise<Service> {
    const { core } = log;
    const metrics = new HttpMetrics();
    const decider = new Decider(Core.load(), {
      windowVersions: config['conflict-window-versions'],
      conflictBytesMax: config['conflict-window-bytes'],
      floor: 0,
    });
    const feed = new Feed(
      log,
      core,
      {
        subscriberBufferBytes: config['subscriber-buffer-bytes'],
        subscriberGraceMs: config['subscriber-grace-ms'],
        keepaliveMs: config['keepalive-ms'],
        maxSubscribers: config['max-subscribers'],
        tailBytes: config['tail-bytes'],
        catchUpCacheBytes: config['catch-up-cache-bytes'],
      },
      {
        subscriberClosed: (reason, durable) => {
          metrics.subscriberClosed(reason, durable);
          if (reason.kind === 'unreadable') logger.error({ err: reason.error }, 'subscriber-unreadable');
          if (reason.kind === 'lagging') logger.warn({ durable, ...reason }, 'subscriber-lagging');
        },
      },
    );
    const leader = new Leader(log, decider, leaderObserver(feed, metrics, logger), {
      maxInFlight: config['max-in-flight'],
      maxInFlightBytes: config['max-in-flight-bytes'],
      requestIdWindowVersions: config['request-id-window-versions'],
      maxFences: config['max-fences'],
    });
    const policies = await RetentionPolicies.open(log, policyStore, config['max-retention-policies']);
    await leader.start();

    const truncation = new TruncationWorker(
      log,
      () => policies.lowestHold,
      {
        retainMs: config['retain-ms'],
        retainVersions: config['retain-versions'],
        retainBytes: config['retain-bytes'],
        requestIdRetainMs: config['request-id-retain-ms'],
        requestIdRetainVersions: config['request-id-retain-versions'],
      },
      {
        truncated: (segments, truncatedThrough) => {
          feed.truncated();
          metrics.truncated(segments);
          logger.info({ segments, truncatedThrough }, 'log-truncated');
        },
        truncationFailed: (error) => logger.error({ err: error }, 'truncation-failed'),
      },
    );
    const bodies = new BodyBudget(config['max-receiving-bytes']);
    metrics.readFrom({ log, leader, decider, feed, policies, bodies });

    // Without the query: it may hold a client's data.
    const onInternalError = (error: unknown, request?: IncomingMessage) =>
      logger.error(
        { err: error, method: request?.method, path: request?.url?.split('?')[0] },
        'request-failed',
      );
    const app = createApp({
      leader,
      feed,
      policies,
      metrics,
      parser: {
        packer: new TransactionPacker(core),
        minRequestIdLength: config['min-request-id-length'],
        newRequestId: randomUUID,
      },
      maxCommitBytes: config['max-commit-bytes'],
      bodies,
      onInternalError,
    });
    const http = await HttpServer.start(app, {
      host: config.host,
      port: config.port,
      requestTimeoutMs: config['request-timeout-ms'],
      maxConnections: connectionsMax(config['max-connections'], logger),
      maxCommitBytes: config['max-commit-bytes'],
      metrics,
      onInternalError,
    });
    truncation.start(config['truncate-interval-ms']);
    return new Service({ config, logger, log, leader, feed, truncation, http });
  }

  /**
   * Takes no new commits, answers those in flight, ends the streams, closes the log. Connections that are not done
   * after the configured time are cut.
   */
  async stop(): Promise<void> {
    this.#logger.info('stopping');
    const closed = this.#http.stop();
    const cut = setTimeout(() => this.#http.destroyConnections(), this.#config['stop-timeout-ms']);
    await this.#leader.stop();
    this.#feed.stop();
    await this.#truncation.stop();
    await closed;
    clearTimeout(cut);
    await this.#log.close();
    this.#logger.info('stopped');
  }
}

/**
 * As many connections as are wanted, but no more than leave the log the files that it needs: a log that can
 * open no file takes no commits.
 */
function connectionsMax(wanted: number, logger: Logger): number {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const openFiles = Number(report.userLimits?.open_files?.soft);
  if (!Number.isFinite(openFiles) || wanted <= openFiles - FILES_RESERVED) return wanted;
  const possible = Math.max(1, openFiles - FILES_RESERVED);
  logger.warn({ wanted, possible, openFiles }, 'max-connections-lowered');
  return possible;
}

/** Passes on what the leader does: to the feed first, then to metrics and the logger. */
function leaderObserver(feed: Feed, metrics: HttpMetrics, logger: Logger): LeaderObserver {
  return {
    termStarted: (leaderId, durableVersion) => {
      feed.termStarted(leaderId, durableVersion);
      metrics.termStarted();
      logger.info({ leaderId, durableVersion }, 'term-started');
    },
    accepted: (batch, leaderId) => feed.accepted(batch, leaderId),
    durable: (version) => feed.durable(version),
    termEnded: (leaderId, error) => {
      feed.termEnded();
      if (error === undefined) logger.info({ leaderId }, 'term-ended');
      else logger.error({ leaderId, err: error }, 'term-failed');
    },
    termDelayed: (error, retryMs) => logger.warn({ err: error, retryMs }, 'term-delayed'),
    answered: (outcome) => metrics.committed(outcome),
    synced: (records, bytes, seconds) => metrics.synced(records, bytes, seconds),
  };
}
