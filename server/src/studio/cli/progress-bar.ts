const WIDTH = 30;

/** `[██████████░░░░░░░░░░] 52%`; the total may be an estimate, so it is never full before the end. */
export function progressBar(done: number, total: number): string {
  const share = total <= 0 ? 0 : Math.min(done / total, 0.99);
  const full = Math.floor(share * WIDTH);
  return `[${'█'.repeat(full)}${'░'.repeat(WIDTH - full)}] ${String(Math.floor(share * 100)).padStart(2)}%`;
}

/** 1,234,567 */
export function grouped(n: number): string {
  return n.toLocaleString('en-US');
}
