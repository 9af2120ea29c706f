// Loaded into a node by NODE_OPTIONS: its clock is a hundred days ahead. PostgreSQL keeps the right time.
const AHEAD_MS = 100 * 86_400_000;
const RightDate = Date;
globalThis.Date = class extends RightDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RightDate.now() + AHEAD_MS] : given));
  }
  static now() {
    return RightDate.now() + AHEAD_MS;
  }
};
