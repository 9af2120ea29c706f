import type { Command } from 'commander';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { ConfigSnapshots } from '../core/configs/config-snapshots.js';
import type { Inbox } from '../core/events/failed/inbox.js';
import type { EventContext } from '../core/events/intake/event-context.js';
import type { EventIntake } from '../core/events/intake/intake.js';
import type { FactReadings } from '../core/players/fact-readings.js';
import type { PlayerContext } from '../core/players/player-context.js';
import type { PredictionContext } from '../core/predictions/prediction-routes.js';
import type { PredictionSnapshots } from '../core/predictions/prediction-snapshots.js';
import type { DeviceHashes } from '../core/sessions/forgotten-devices.js';
import type { SessionContext } from '../core/sessions/session-context.js';
import type { SigningKeys } from '../core/sessions/signing-keys.js';
import type { Pool } from '../platform/db/pool.js';
import type { AppleReceipts } from '../platform/lib/receipts/apple-receipts.js';
import type { MaintenanceStep } from '../platform/lifecycle/maintenance-step.js';
import type { EventAdmission } from '../platform/overload/event-admission.js';
import type { ErasureHashes } from '../platform/security/erasure-hashes.js';
import type { NatsSettings, Settings } from '../platform/settings/settings.js';
import type { Metrics } from '../platform/telemetry/metrics.js';
import type { AdminContext } from './admin-api/admin-context.js';

/**
 * What a module brings to the service. `app/modules.ts` is the list of all modules; what is not on it is not there. A manifest is
 * loaded by every program, also for `savepoint --version`, so it imports nothing but types: each part is loaded by the process that
 * needs it (docs/adr/0081-ten-wings.md).
 */
export type Module = Readonly<{
  name: string;
  /** Commands of `savepoint`, in the order of the help. Each is loaded when it is called. */
  commands?: Readonly<Record<string, () => Promise<Command>>>;
  /** What it does in the operations process. */
  operations?: () => Promise<OpenOperations>;
  /** What it does in each API worker. */
  worker?: () => Promise<OpenWorker>;
  /** Takes events in the place of the database, where NATS_URL is set. */
  intake?: () => Promise<OpenIntake>;
}>;

/** Makes what the part needs. Nothing may begin before `start`: API documents are made of parts that never start. */
export type OpenOperations = (ctx: OperationsContext) => OperationsPart;

export type AdminRoutes = (app: FastifyInstance, ctx: AdminContext) => void;

export type OperationsPart = Readonly<{
  adminRoutes?: readonly AdminRoutes[];
  /** Maintenance, hourly. */
  steps?: readonly MaintenanceStep[];
  /** The names of its steps that also run every few minutes, because they sum today or do what somebody is waiting for. */
  frequent?: readonly string[];
  /** Steps that wait for another machine: a bucket that hangs holds up no other step. */
  stepsApart?: readonly MaintenanceStep[];
  metrics?: readonly Readonly<{ registry: Registry }>[];
  /** Begins when the listener is open. */
  start?: () => void | Promise<void>;
  stop?: () => Promise<void>;
}>;

/** What the parts of modules may use in the operations process. */
export type OperationsContext = AdminContext &
  Readonly<{
    settings: Settings;
    /** The folder of the embedded database. */
    databaseDir: string | undefined;
    /** Undefined without a root certificate in the settings. */
    apple: AppleReceipts | undefined;
    deviceHashes: DeviceHashes;
    signingKeys: SigningKeys;
    erasureHashes: () => Promise<ErasureHashes>;
  }>;

export type OpenWorker = (ctx: WorkerContext) => WorkerPart;

export type WorkerPart = Readonly<{
  /** Routes of the player API, registered in a scope of their own. */
  routes?: (scope: FastifyInstance) => void | Promise<void>;
  /** Routes that take events: in a scope that refuses them when the disk is full. */
  eventRoutes?: (scope: FastifyInstance, admission: EventAdmission) => void;
  close?: () => Promise<void>;
}>;

/** What the parts of modules may use in an API worker. */
export type WorkerContext = SessionContext &
  PlayerContext &
  PredictionContext &
  EventContext &
  Readonly<{
    databaseUrl: string;
    apple: AppleReceipts | undefined;
    erasureHashes: () => Promise<ErasureHashes>;
    readings: FactReadings;
    gameConfigs: ConfigSnapshots;
    models: PredictionSnapshots;
  }>;

export type OpenIntake = (
  nats: NatsSettings,
  options: Readonly<{
    databaseUrl: string;
    pool: Pool;
    /** Where rejected events end, once they have come through the queue. */
    inbox: Inbox;
    /** Tell erased players, and their orders. Undefined: this process has no master key that opens them. */
    hashes: () => Promise<ErasureHashes | undefined>;
    metrics: Metrics;
    logger: Logger;
  }>,
) => Promise<Readonly<{ intake: EventIntake; inbox: Inbox; close(): Promise<void> }>>;
