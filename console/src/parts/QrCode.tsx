import { qrCodeOf } from '../lib/qr-code.js';

/** The light margin that the standard wants, in modules. */
const MARGIN = 4;

/** A text for a camera. Black on white in dark mode, too: many apps do not read the inverse. Nothing, if the text is too long. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const modules = qrCodeOf(text);
  if (modules === undefined) return null;
  const size = modules.length + 2 * MARGIN;
  const dark = modules.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x + MARGIN} ${y + MARGIN}h1v1h-1z`] : [])),
  );
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={220}
      height={220}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  );
}
