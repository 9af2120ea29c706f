/** A few strokes each, on a grid of 24: the console needs no icon library. */
const PATHS = {
  overview: 'M4 20V10M10 20V4M16 20v-8M22 20H2',
  analysis: 'M3 4h18l-7 8v7l-4 2v-9z',
  experiments: 'M9 3h6M10 3v6l-5 9a2 2 0 0 0 2 3h10a2 2 0 0 0 2-3l-5-9V3M8 15h8',
  players: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21c0-4 4-6 8-6s8 2 8 6',
  store: 'M4 8h16l-1 12H5zM8 8a4 4 0 0 1 8 0',
  segments: 'M12 3a9 9 0 1 0 9 9h-9zM16 3.5A9 9 0 0 1 20.5 8H16z',
  values: 'M4 6h16M4 12h16M4 18h16M9 4v4M15 10v4M7 16v4',
  attributes: 'M4 4h8l8 8-8 8-8-8zM8 8h.01',
  events: 'M3 12h4l3-8 4 16 3-8h4',
  predictions: 'M3 17l6-6 4 4 8-9M15 6h6v6',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M16 16l5 5',
  moon: 'M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M19 5l-1.5 1.5M6.5 17.5L5 19',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M4 12l5 6L20 6',
  plus: 'M12 5v14M5 12h14',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13',
  grip: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
  table: 'M4 5h16v14H4zM4 10h16M10 5v14',
  open: 'M9 5l7 7-7 7',
  back: 'M15 5l-7 7 7 7',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
