import { forbidden } from '../../../../api/index.ts'
import { repositoryContributors } from '../../../operations.ts'
import { page } from '../../../page.ts'
import { Empty, Pages } from '../../../parts/parts.tsx'
import { Bars } from '../../../parts/plots.tsx'
import { atPath, shortRef } from '../places.ts'

/** `graphs` without a ref: the default branch. */
export const contributorsHome = page({
  at: 'project',
  path: 'graphs',
  nav: { section: 'Code', label: 'Contributors', operation: repositoryContributors },
  show: async (visit) => ({ redirect: atPath(visit, 'graphs', visit.project.default_branch ?? 'main') }),
})

/** Who wrote the commits of a ref, and how many. */
export const contributors = page({
  at: 'project',
  path: 'graphs/*ref',
  async show(visit) {
    const { id } = visit.project
    const { ref = '' } = visit.params
    const call = { id, ref, order_by: 'commits', sort: 'desc' } as const
    if (!(await visit.may(repositoryContributors, { id }))) throw forbidden()
    const found = await visit.find(repositoryContributors, { ...call, page: visit.number, per_page: 50 })
    const counts = (found?.items ?? []).map(({ name, commits }) => [name, commits] as const)
    return {
      title: 'Contributors',
      crumbs: [[shortRef(ref), atPath(visit, 'tree', ref)]],
      body: (
        <div>
          {counts.length === 0 ? (
            <Empty title="No commits yet." />
          ) : (
            <Bars label={`Commits by author, of ${shortRef(ref)}`} counts={counts} />
          )}
          {found && <Pages path={visit.path} page={visit.number} of={found} />}
        </div>
      ),
    }
  },
})
