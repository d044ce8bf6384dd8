import type { Html } from '../../../html/index.ts'

/** When an issue was opened and closed, and what it weighs. */
export type Burnt = { created_at: string; closed_at: string | null; weight?: number | null }

const dayMs = 86_400_000
/** A plot has no more points. */
const mostDays = 400

/** The days from one to another, both included. */
function daysBetween(first: string, last: string): string[] {
  const days = Math.min(mostDays, Math.round((Date.parse(last) - Date.parse(first)) / dayMs) + 1)
  return Array.from({ length: Math.max(0, days) }, (_, index) =>
    new Date(Date.parse(first) + index * dayMs).toISOString().slice(0, 10),
  )
}

/** How many issues were open at the end of each day, from the first to the last one that has passed. */
export function openByDay(
  issues: readonly Burnt[],
  { first, last, today }: { first: string; last: string; today: string },
) {
  return daysBetween(first, last < today ? last : today).map((day) => ({
    day,
    open: issues.filter(({ created_at: opened, closed_at: closed }) => {
      return opened.slice(0, 10) <= day && (closed === null || closed.slice(0, 10) > day)
    }).length,
  }))
}

const [width, height] = [460, 160]
const [left, bottom, top] = [30, 20, 8]

type BurnDownProps = { issues: readonly Burnt[]; first: string; last: string; today: string }

/** The open issues of a milestone or an iteration by day, as a plot; the text says the same. */
export function BurnDown({ issues, first, last, today }: BurnDownProps): Html {
  const points = openByDay(issues, { first, last, today })
  const span = Math.max(1, daysBetween(first, last).length - 1)
  const most = Math.max(1, issues.length, ...points.map(({ open }) => open))
  const at = (index: number, open: number) =>
    `${(left + (index / span) * (width - left - 8)).toFixed(1)},${(top + (1 - open / most) * (height - top - bottom)).toFixed(1)}`
  const start = points[0]?.open ?? issues.length
  const now = points.at(-1)
  const words = now
    ? `Open issues: ${start} on ${first}, ${now.open} on ${now.day}; planned to reach 0 on ${last}.`
    : `Begins on ${first}, with ${issues.length} issues.`
  return (
    <figure class="burn-down">
      <svg viewBox={`0 0 ${width} ${height}`} width="100%" role="img" aria-label={words} focusable="false">
        <polyline
          class="axis"
          fill="none"
          points={`${left},${top} ${left},${height - bottom} ${width - 8},${height - bottom}`}
        />
        <polyline class="ideal" points={`${at(0, issues.length)} ${at(span, 0)}`} />
        <polyline class="left" points={points.map(({ open }, index) => at(index, open)).join(' ')} />
        <text x={4} y={top + 8}>
          {most}
        </text>
        <text x={4} y={height - bottom}>
          0
        </text>
        <text x={left} y={height - 4}>
          {first}
        </text>
        <text x={width - 82} y={height - 4}>
          {last}
        </text>
      </svg>
      <figcaption class="soft">{words}</figcaption>
    </figure>
  )
}
