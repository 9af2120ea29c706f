const ROW = 26;
const LEFT = 300;
const WIDTH = 420;

/** Ratios as bars with their spread against their targets, as an SVG that stands by itself. */
export function chart(rows, machine) {
  const largest = Math.max(1, ...rows.map(({ highest, target = 0 }) => Math.max(highest, target)));
  const x = (ratio) => LEFT + (ratio / largest) * WIDTH;
  const bars = rows.map((row, index) => {
    const y = 50 + index * ROW;
    const color = row.target === undefined ? '#8899aa' : row.ratio >= row.target ? '#2f9e6e' : '#d9822b';
    const target =
      row.target === undefined
        ? ''
        : `<line x1="${x(row.target)}" x2="${x(row.target)}" y1="${y - 2}" y2="${y + 18}" stroke="#222" stroke-width="2"/>`;
    return `<text x="${LEFT - 8}" y="${y + 13}" text-anchor="end">${escapeXml(row.name)}</text>
<rect x="${LEFT}" y="${y}" width="${x(row.ratio) - LEFT}" height="16" rx="2" fill="${color}"/>${target}
<line x1="${x(row.lowest)}" x2="${x(row.highest)}" y1="${y + 8}" y2="${y + 8}" stroke="#222"/>
<text x="${LEFT + WIDTH + 16}" y="${y + 13}">${row.ratio.toFixed(2)}</text>`;
  });
  const height = 70 + rows.length * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${LEFT + WIDTH + 70}" height="${height}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
<text x="12" y="20" font-size="14" font-weight="bold">Savepoint: throughput as a ratio to its floor (upright: target; level: spread)</text>
<text x="12" y="37" fill="#666">${escapeXml(machine)}</text>
${bars.join('\n')}
</svg>
`;
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
