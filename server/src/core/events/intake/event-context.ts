import type { Clock } from '../../../platform/lib/clock.js';
import type { Shedding } from '../../../platform/overload/shedding.js';
import type { Metrics } from '../../../platform/telemetry/metrics.js';
import type { GuardContext } from '../../sessions/guard-context.js';
import type { Inbox } from '../failed/inbox.js';
import type { ReceiptChecks } from '../receipts/receipt-checks.js';
import type { Registries } from '../types/registries.js';
import type { EventIntake } from './intake.js';

/** What the intake of events needs of the process. */
export type EventContext = GuardContext &
  Readonly<{
    clock: Clock;
    metrics: Metrics;
    registries: Registries;
    intake: EventIntake;
    inbox: Inbox;
    receipts: ReceiptChecks;
    shedding: Shedding;
  }>;
