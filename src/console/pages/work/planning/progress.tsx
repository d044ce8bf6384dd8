import type { Html } from '../../../html/index.ts'
import type { ListedIssue } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { Empty } from '../../../parts/parts.tsx'
import { ProgressBar } from '../../../parts/plots.tsx'
import { IssueRows } from '../issues/rows.tsx'
import { BurnDown } from './burn-down.tsx'

/** Issues beyond these pages are neither listed nor counted. */
const mostPages = 5

type Found = { items: readonly ListedIssue[]; total?: number; hasNext?: boolean }

/** All issues of a plan, up to a bound. */
export async function readAll(read: (page: number) => Promise<Found>): Promise<ListedIssue[]> {
  const issues: ListedIssue[] = []
  for (let page = 1; page <= mostPages; page += 1) {
    const { items } = await read(page)
    issues.push(...items)
    if (items.length < 100) break
  }
  return issues
}

type ProgressProps = {
  visit: Visit
  issues: readonly ListedIssue[]
  first: string | null
  last: string | null
  isOfProject: boolean
}

/** How much of a milestone or an iteration is done, day by day, and what is left. */
export function Progress({ visit, issues, first, last, isOfProject }: ProgressProps): Html {
  const closed = issues.filter(({ state }) => state === 'closed')
  const open = issues.filter(({ state }) => state === 'opened')
  const weightOf = (some: readonly ListedIssue[]) => some.reduce((sum, { weight }) => sum + (weight ?? 0), 0)
  const percent = Math.round((closed.length / Math.max(1, issues.length)) * 100)
  if (issues.length === 0) return <Empty title="No issue is planned for it." />
  return (
    <>
      <section>
        <h2>Progress</h2>
        <p>
          {closed.length} of {issues.length} issues closed, {percent} %
          {weightOf(issues) > 0 && ` · weight ${weightOf(closed)} of ${weightOf(issues)}`}
        </p>
        <ProgressBar part={closed.length / issues.length} />
      </section>
      {first && last && first <= last && (
        <section>
          <h2>Burn-down</h2>
          <BurnDown issues={issues} first={first} last={last} today={visit.today} />
        </section>
      )}
      {[['Open issues', open] as const, ['Closed issues', closed] as const].map(
        ([title, some]) =>
          some.length > 0 && (
            <section>
              <h2>{title}</h2>
              <IssueRows visit={visit} issues={some} isOfProject={isOfProject} />
            </section>
          ),
      )}
    </>
  )
}
