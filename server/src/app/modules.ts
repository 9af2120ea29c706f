import { holdouts } from '../experiments/holdouts/module.js';
import { experiments } from '../experiments/module.js';
import { forecast } from '../insight/analytics/forecast/module.js';
import { funnels } from '../insight/analytics/funnels/module.js';
import { analytics } from '../insight/analytics/module.js';
import { eventFiles } from '../insight/event-files/module.js';
import { eventTypes } from '../insight/event-types/module.js';
import { exports } from '../insight/exports/module.js';
import { failedEvents } from '../insight/failed-events/module.js';
import { live } from '../insight/live/module.js';
import { losses } from '../insight/losses/module.js';
import { predictions } from '../insight/predictions/module.js';
import { timelines } from '../insight/timelines/module.js';
import { backTests } from '../liveops/back-tests/module.js';
import { liveops } from '../liveops/module.js';
import { servers } from '../liveops/servers/module.js';
import { backups } from '../operations/backups/module.js';
import { eventStorage } from '../operations/event-storage/module.js';
import { imports } from '../operations/imports/module.js';
import { lifecycle } from '../operations/lifecycle/module.js';
import { majorUpgrade } from '../operations/major-upgrade/module.js';
import { queue } from '../operations/queue/module.js';
import { studio } from '../studio/module.js';
import type { Module } from '../studio/module-type.js';
import { erasures } from '../trust/erasures/module.js';
import { fakeStore } from '../trust/fake-store/module.js';
import { playerExports } from '../trust/player-exports/module.js';
import { stores } from '../trust/stores/module.js';
import { core } from './core-module.js';

/** The specification, and what a studio needs to run it. */
export const ALWAYS: readonly Module[] = [core, studio, liveops];

/** Each can be taken off this list, and the service starts without it: its routes, steps, metrics and commands are gone. */
export const OPTIONAL: readonly Module[] = [
  ...[backups, majorUpgrade, imports, queue],
  ...[backTests, servers],
  ...[experiments, holdouts],
  ...[erasures, playerExports, stores, fakeStore],
  ...[analytics, forecast, funnels, eventTypes, failedEvents, losses, live, timelines],
  ...[exports, eventFiles],
  // Steps of maintenance run in this order: those that may take an hour come last.
  ...[lifecycle, eventStorage, predictions],
];

export const MODULES: readonly Module[] = [...ALWAYS, ...OPTIONAL];
