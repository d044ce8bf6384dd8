import { forbidden } from '../../../../api/index.ts'
import { repositoryCommitActivity, repositoryContributors } from '../../../operations.ts'
import { page } from '../../../page.ts'
import { Empty, Pages } from '../../../parts/parts.tsx'
import { Bars, Columns } from '../../../parts/plots.tsx'
import { atPath, hasCommits, shortRef } from '../places.ts'

/** `graphs` without a ref: the default branch. */
export const contributorsHome = page({
  at: 'project',
  path: 'graphs',
  nav: { section: 'Code', label: 'Contributors', operation: repositoryContributors, isFor: hasCommits },
  show: async (visit) => ({ redirect: atPath(visit, 'graphs', visit.project.default_branch ?? 'main') }),
})

/** Who wrote the commits of a ref, and how many there were in each week. */
export const contributors = page({
  at: 'project',
  path: 'graphs/*ref',
  async show(visit) {
    const { id } = visit.project
    const { ref = '' } = visit.params
    const call = { id, ref, order_by: 'commits', sort: 'desc' } as const
    if (!(await visit.may(repositoryContributors, { id }))) throw forbidden()
    const [found, activity] = await Promise.all([
      visit.find(repositoryContributors, { ...call, page: visit.number, per_page: 50 }),
      visit.find(repositoryCommitActivity, { id, ref }),
    ])
    const weeks = (activity ?? []).map(({ week, commits }) => [week, commits] as const)
    const counts = (found?.items ?? []).map(({ name, commits }) => [name, commits] as const)
    return {
      title: 'Contributors',
      crumbs: [[shortRef(ref), atPath(visit, 'tree', ref)]],
      body: (
        <div>
          {counts.length === 0 ? (
            <Empty title="No commits yet." />
          ) : (
            <>
              {weeks.length > 0 && <Columns label="Commits by week" unit="commits" counts={weeks} />}
              <Bars label={`Commits by author, of ${shortRef(ref)}`} counts={counts} />
            </>
          )}
          {found && <Pages path={visit.path} page={visit.number} of={found} />}
        </div>
      ),
    }
  },
})
