import type { Html } from '../html/index.ts'

type BarsProps = {
  label: string
  counts: readonly (readonly [string, number])[]
  /** A number as people read it. */
  shown?: (value: number) => string
}

const withCommas = (value: number) => value.toLocaleString('en')

/** Counts as a table with bars. The numbers stand beside the bars, so that the bars are decoration. */
export function Bars({ label, counts, shown = withCommas }: BarsProps): Html {
  const most = Math.max(1, ...counts.map(([, count]) => count))
  return (
    <table class="bars" aria-label={label}>
      <tbody>
        {counts.map(([name, count]) => (
          <tr>
            <th scope="row">{name}</th>
            <td class="num">{shown(count)}</td>
            <td class="bar">
              <svg
                viewBox="0 0 100 8"
                width="100%"
                height={8}
                preserveAspectRatio="none"
                focusable="false"
                aria-hidden="true"
              >
                <rect width={count === 0 ? 0 : Math.max(0.5, (count / most) * 100)} height={8} />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const columnsHeight = 60

/**
 * Counts over time as columns. A sentence says what they show: the first and the last name, the sum and the highest column.
 * @param unit what is counted, in the plural
 */
export function Columns({
  label,
  unit,
  counts,
}: {
  label: string
  unit: string
  counts: readonly (readonly [name: string, count: number])[]
}): Html {
  const [highest = '', most = 0] = [...counts].sort((one, other) => other[1] - one[1])[0] ?? []
  const sum = counts.reduce((before, [, count]) => before + count, 0)
  const [first] = counts[0] ?? ['']
  const [last] = counts.at(-1) ?? ['']
  return (
    <figure class="columns">
      <svg
        viewBox={`0 0 ${counts.length * 10} ${columnsHeight}`}
        width="100%"
        height={columnsHeight}
        preserveAspectRatio="none"
        focusable="false"
        aria-hidden="true"
      >
        {counts.map(([, count], index) => {
          const height = count === 0 ? 1 : Math.max(2, (count / most) * columnsHeight)
          const named = count === 0 ? 'none' : undefined
          return <rect class={named} x={index * 10 + 1} y={columnsHeight - height} width={8} height={height} />
        })}
      </svg>
      <figcaption>
        {label}, {first} to {last}: {sum.toLocaleString('en')} {unit}
        {most > 0 && `, at most ${most.toLocaleString('en')} (${highest})`}.
      </figcaption>
    </figure>
  )
}

/** How much of something is done, from 0 to 1. The words beside it say the same. */
export function ProgressBar({ part }: { part: number }): Html {
  return (
    <svg
      class="progress"
      viewBox="0 0 100 6"
      width="100%"
      height={6}
      preserveAspectRatio="none"
      focusable="false"
      aria-hidden="true"
    >
      <rect class="whole" width={100} height={6} />
      <rect class="part" width={Math.min(1, part) * 100} height={6} />
    </svg>
  )
}
