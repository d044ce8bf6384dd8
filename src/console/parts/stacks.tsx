import type { Html } from '../html/index.ts'

type Column = {
  /** What it is about, such as a day. */
  name: string
  /** From the bottom up, each of a kind of `kinds`; null where there is no number. */
  parts: readonly (number | null)[]
}
type StacksProps = {
  label: string
  /** What the parts of a column are, from the bottom up. */
  kinds: readonly string[]
  columns: readonly Column[]
  /** What the names of the columns are. */
  by?: string
  /** A number as people read it. */
  shown?: (value: number) => string
}

/** The height of the drawing. */
const height = 100
const width = 10

function Drawn({ label, columns }: Pick<StacksProps, 'label' | 'columns'>) {
  const most = Math.max(1, ...columns.map(({ parts }) => parts.reduce<number>((sum, part) => sum + (part ?? 0), 0)))
  return (
    <svg
      class="stacks"
      viewBox={`0 0 ${columns.length * width} ${height}`}
      width="100%"
      height={height}
      preserveAspectRatio="none"
      focusable="false"
      role="img"
      aria-label={label}
    >
      {columns.map(({ parts }, index) => {
        let top = height
        return parts.map((part, kind) => {
          const tall = ((part ?? 0) / most) * height
          top -= tall
          return (
            tall > 0 && <rect class={`kind${kind}`} x={index * width + 1} y={top} width={width - 2} height={tall} />
          )
        })
      })}
    </svg>
  )
}

/** Numbers as stacked columns, with the same numbers as a table for those who would rather read. */
export function Stacks({ label, kinds, columns, by = 'Day', shown = String }: StacksProps): Html {
  return (
    <figure class="plot">
      <Drawn label={label} columns={columns} />
      <figcaption>
        <span>{columns[0]?.name}</span>
        <span>{columns.at(-1)?.name}</span>
        {kinds.length > 1 && (
          <span class="keys">
            {kinds.map((kind, index) => (
              <span class="key">
                <svg class="dot" viewBox="0 0 10 10" width={10} height={10} focusable="false" aria-hidden="true">
                  <rect class={`kind${index}`} width={10} height={10} rx={2} />
                </svg>{' '}
                {kind}
              </span>
            ))}
          </span>
        )}
      </figcaption>
      <details class="more">
        <summary>As a table</summary>
        <div class="scroll" tabindex={0} role="region" aria-label={label}>
          <table class="list">
            <thead>
              <tr>
                <th scope="col">{by}</th>
                {kinds.map((kind) => (
                  <th scope="col">{kind}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {columns.map(({ name, parts }) => (
                <tr>
                  <th scope="row">{name}</th>
                  {parts.map((part) => (
                    <td>{part === null ? '–' : shown(part)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}
