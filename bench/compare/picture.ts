import { type Result, ratioOf } from '../table.ts'

const rowHeight = 24
const top = 56
const bottom = 16
/** Columns: names end here, bars lie around the middle. */
const names = 430
const middle = 690
const width = 960
/** Pixels for a factor of two. */
const doubling = 58
/** Bars of larger ratios end here; the number beside them is exact. */
const longest = 3.6

const style = `
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .quiet { fill: #57606a }
  .ahead { fill: #2a7f62 }
  .behind { fill: #c2571a }
  line { stroke: #d0d7de }
  .even { stroke: #57606a }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .quiet { fill: #9198a1 }
    .ahead { fill: #4fb38f }
    .behind { fill: #e8864b }
    line { stroke: #3d444d }
    .even { stroke: #9198a1 }
  }
`

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const placeOf = (ratio: number) => middle + Math.max(-longest, Math.min(longest, Math.log2(ratio))) * doubling

function barOf({ name, floorName = '' }: Result, ratio: number, index: number): string {
  const y = top + index * rowHeight
  const place = placeOf(ratio)
  const isBehind = ratio > 1
  const [x, end] = isBehind ? [middle, place] : [place, middle]
  const label = isBehind ? `x="${place + 6}"` : `x="${place - 6}" text-anchor="end"`
  return [
    `<text x="${names - 10}" y="${y + 16}" text-anchor="end">${escaped(name)} <tspan class="quiet">${escaped(floorName)}</tspan></text>`,
    `<rect class="${isBehind ? 'behind' : 'ahead'}" x="${x.toFixed(1)}" y="${y + 4}" width="${(end - x).toFixed(1)}" height="${rowHeight - 8}"/>`,
    `<text ${label} y="${y + 16}">${ratio.toFixed(2)}</text>`,
  ].join('\n')
}

/** Draws the ratios of rows with a rival, on a logarithmic scale around 1. */
export function pictureOf(results: readonly Result[]): string {
  const rows = results.flatMap((result) => {
    const ratio = ratioOf(result)
    return ratio === undefined ? [] : [{ result, ratio }]
  })
  const height = top + rows.length * rowHeight + bottom
  const lines = [-3, -2, -1, 0, 1, 2, 3].map((power) => {
    const x = middle + power * doubling
    const label = power < 0 ? `1/${2 ** -power}` : String(2 ** power)
    return [
      `<line class="${power === 0 ? 'even' : ''}" x1="${x}" y1="${top - 8}" x2="${x}" y2="${height - bottom}"/>`,
      `<text class="quiet" x="${x}" y="${top - 14}" text-anchor="middle">${label}</text>`,
    ].join('\n')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>How much Fennec takes of what its rivals take</title>
<style>${style}</style>
<text class="quiet" x="${middle - 12}" y="18" text-anchor="end">← Fennec is ahead</text>
<text class="quiet" x="${middle + 12}" y="18">the rival is ahead →</text>
${lines.join('\n')}
${rows.map(({ result, ratio }, index) => barOf(result, ratio, index)).join('\n')}
</svg>
`
}
