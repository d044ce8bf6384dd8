import { branchesList, commitsList } from '../../../operations.ts'
import { page } from '../../../page.ts'
import { Empty, Pages } from '../../../parts/parts.tsx'
import { CommitRow, RefMenu } from '../pieces.tsx'
import { at, atPath, hasCommits, nameOf, pathOf, placeOf, stepsTo } from '../places.ts'

/** `commits` without a ref: the default branch. */
export const commitsHome = page({
  at: 'project',
  path: 'commits',
  nav: { section: 'Code', label: 'Commits', operation: commitsList, isFor: hasCommits },
  show: async (visit) => ({ redirect: at(visit, `commits/${pathOf(visit.project.default_branch ?? 'main')}`) }),
})

/** The history of a ref, or of a path in it, by days. */
export const commits = page({
  at: 'project',
  path: 'commits/*where',
  async show(visit) {
    const place = await placeOf(visit, visit.params.where)
    const { ref, path } = place
    const { id } = visit.project
    const { author } = visit.query
    const filter = { ref_name: ref, ...(path && { path }), ...(author && { author }) }
    const [found, branches] = await Promise.all([
      visit.read(commitsList, { id, ...filter, page: visit.number, per_page: 40 }),
      visit.find(branchesList, { id, per_page: 12 }),
    ])
    const days = Map.groupBy(found.items, ({ committed_date: date }) => new Date(date).toISOString().slice(0, 10))
    return {
      title: path === '' ? 'Commits' : `Commits of ${nameOf(path)}`,
      crumbs: stepsTo(visit, place).slice(0, path === '' ? 1 : -1),
      actions: (
        <>
          <form method="get" class="inline-search" action={atPath(visit, 'commits', ref, path)}>
            <input type="search" name="author" value={author ?? ''} placeholder="Author" aria-label="Author" />
          </form>
          <RefMenu visit={visit} ref={ref} path={path} page="commits" branches={branches?.items} />
        </>
      ),
      body: (
        <div>
          {found.items.length === 0 && <Empty title="No such commits." />}
          {[...days].map(([day, ofDay]) => (
            <section>
              <h2 class="day">{day}</h2>
              <ul class="rows">
                {ofDay.map((commit) => (
                  <CommitRow visit={visit} commit={commit}>
                    <a class="soft browse" href={atPath(visit, 'tree', commit.id)}>
                      Files
                    </a>
                  </CommitRow>
                ))}
              </ul>
            </section>
          ))}
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})
