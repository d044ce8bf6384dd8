import type { Html } from '../html/index.ts'

/** Counts as a table with bars. The numbers stand beside the bars, so that the bars are decoration. */
export function Bars({ label, counts }: { label: string; counts: readonly (readonly [string, number])[] }): Html {
  const most = Math.max(1, ...counts.map(([, count]) => count))
  return (
    <table class="bars" aria-label={label}>
      <tbody>
        {counts.map(([name, count]) => (
          <tr>
            <th scope="row">{name}</th>
            <td class="num">{count.toLocaleString('en')}</td>
            <td class="bar">
              <svg
                viewBox="0 0 100 8"
                width="100%"
                height={8}
                preserveAspectRatio="none"
                focusable="false"
                aria-hidden="true"
              >
                <rect width={Math.max(0.5, (count / most) * 100)} height={8} />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
