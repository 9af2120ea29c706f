/** The clock of the service, as far as it is known. */
export type ServiceClock = {
  /** By the clock of the device, in epoch milliseconds. */
  deviceNow(): number;
  /** By the clock of the service; by that of the device until it is known. */
  now(): number;
  /** As a login is signed with it; undefined until it is known. */
  timestamp(): string | undefined;
  learn(serverMs: number): void;
};

export function createServiceClock(deviceNow: () => number): ServiceClock {
  /** Time of the service minus that of the device. */
  let offsetMs: number | undefined;
  const now = () => deviceNow() + (offsetMs ?? 0);
  return {
    deviceNow,
    now,
    timestamp: () => (offsetMs === undefined ? undefined : `${new Date(now()).toISOString().slice(0, 19)}Z`),
    learn(serverMs) {
      offsetMs = serverMs - deviceNow();
    },
  };
}
