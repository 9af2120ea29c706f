import { encode } from 'uqr';

/** The light margin that the standard wants, in modules. */
const MARGIN = 4;
/** What the largest code of level M, which survives 15% damage, can hold. */
const MAX_BYTES = 2_331;

/** A text for a camera. Black on white in dark mode, too: many apps do not read the inverse. Nothing, if the text is too long. */
export function QrCode({ text, label }: { text: string; label: string }) {
  if (new TextEncoder().encode(text).length > MAX_BYTES) return null;
  const { data, size } = encode(text, { ecc: 'M', border: MARGIN });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
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
