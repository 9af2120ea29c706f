import { describe, expect, it } from 'vitest';
import { BEAT_MS, Heartbeat, OPERATIONS_STUCK_SECONDS } from '../../../src/app/bin/heartbeat.js';

/** The ticks of the primary in so many seconds. */
function tick(heartbeat: Heartbeat, seconds: number): void {
  for (let passedMs = 0; passedMs < seconds * 1000; passedMs += BEAT_MS) heartbeat.tick();
}

function listening(): Heartbeat {
  const heartbeat = new Heartbeat();
  heartbeat.beat(false);
  heartbeat.listens();
  return heartbeat;
}

describe('the heartbeat of a process', () => {
  it('waits longer for a process that may be starved', () => {
    const heartbeat = new Heartbeat(OPERATIONS_STUCK_SECONDS);
    heartbeat.listens();
    for (let tick = 0; tick < 19; tick++) heartbeat.tick();
    expect(heartbeat.pulse).toBe('silent');
    heartbeat.tick();
    expect(heartbeat).toMatchObject({ pulse: 'stuck', silentSeconds: 10 });
  });

  it('is silent after two seconds and stuck after five', () => {
    const heartbeat = listening();
    expect(heartbeat.pulse).toBe('serving');
    tick(heartbeat, 1.5);
    expect(heartbeat.pulse).toBe('serving');
    tick(heartbeat, 0.5);
    expect(heartbeat).toMatchObject({ pulse: 'silent', silentSeconds: 2 });
    tick(heartbeat, 2.5);
    expect(heartbeat.pulse).toBe('silent');
    tick(heartbeat, 0.5);
    expect(heartbeat).toMatchObject({ pulse: 'stuck', silentSeconds: 5 });
  });

  it('is never stuck while the process is busy and turns', () => {
    const heartbeat = listening();
    for (let turn = 0; turn < 20; turn++) {
      tick(heartbeat, 4.5);
      expect(heartbeat.pulse).toBe('silent');
      heartbeat.beat(false);
      expect(heartbeat).toMatchObject({ pulse: 'serving', silentSeconds: 0 });
    }
  });

  it('may be late by a minute while the process starts', () => {
    const heartbeat = new Heartbeat();
    tick(heartbeat, 59.5);
    expect(heartbeat.pulse).toBe('starting');
    heartbeat.beat(false);
    tick(heartbeat, 59.5);
    expect(heartbeat.pulse).toBe('starting');
    tick(heartbeat, 0.5);
    expect(heartbeat.pulse).toBe('stuck');
  });

  it('may take twice as long for each start that was stuck before, up to a quarter of an hour', () => {
    const secondsOf = (stuckStarts: number) => {
      const heartbeat = new Heartbeat(undefined, stuckStarts);
      while (heartbeat.pulse === 'starting') heartbeat.tick();
      return heartbeat.silentSeconds;
    };
    expect([0, 1, 2, 3, 4, 5, 100].map(secondsOf)).toEqual([60, 120, 240, 480, 960, 960, 960]);
  });

  it('counts anew with each step of the start', () => {
    const heartbeat = new Heartbeat();
    for (let step = 0; step < 20; step++) {
      tick(heartbeat, 59.5);
      heartbeat.advances();
      expect(heartbeat.pulse).toBe('starting');
    }
    tick(heartbeat, 60);
    expect(heartbeat.pulse).toBe('stuck');
  });

  it('counts anew when the process listens, however long it was silent before', () => {
    const heartbeat = new Heartbeat();
    tick(heartbeat, 30);
    heartbeat.listens();
    expect(heartbeat).toMatchObject({ pulse: 'serving', silentSeconds: 0 });
  });

  it('is not stuck while a debugger may hold the process', () => {
    const heartbeat = listening();
    heartbeat.beat(true);
    tick(heartbeat, 3600);
    expect(heartbeat.pulse).toBe('silent');
    heartbeat.beat(false);
    tick(heartbeat, 5);
    expect(heartbeat.pulse).toBe('stuck');
  });
});
