import { notFound } from '../../../../api/index.ts'
import { branchesList, mergeRequestsCreate, repositoryCompare, tagsList } from '../../../operations.ts'
import { page, type Visit } from '../../../page.ts'
import { diffs } from '../../../parts/diff/index.ts'
import { Avatar, Empty, Time, withQuery } from '../../../parts/parts.tsx'
import { at, hasCommits, pathOf } from '../places.ts'

/** The address of the comparison of two refs. */
export const compareAddress = (visit: Visit, from: string, to: string) =>
  at(visit, `compare/${pathOf(from)}...${pathOf(to)}`)

type Ends = { from: string; to: string; straight?: boolean }

/** Two refs to choose, with the names of branches and tags to pick from. */
async function chooser(visit: Visit, { from, to, straight }: Ends) {
  const { id } = visit.project
  const [branches, tags] = await Promise.all([
    visit.read(branchesList, { id, per_page: 100 }),
    visit.read(tagsList, { id, per_page: 100 }),
  ])
  const names = [...branches.items, ...tags.items].map(({ name }) => name)
  const fields = [
    ['from', 'From', from],
    ['to', 'To', to],
  ] as const
  return (
    <form class="compare" method="get" action={at(visit, 'compare')}>
      {fields.map(([name, label, value]) => (
        <label>
          <span>{label}</span>
          <input name={name} value={value} list="refs" required autocomplete="off" spellcheck="false" />
        </label>
      ))}
      <label class="check-label">
        <input type="checkbox" name="straight" value="1" checked={straight === true} />
        without the common commit
      </label>
      <button class="primary">Compare</button>
      <datalist id="refs">
        {names.map((name) => (
          <option value={name}></option>
        ))}
      </datalist>
    </form>
  )
}

/** `compare` without refs, and what its form leads through. */
export const compareHome = page({
  at: 'project',
  path: 'compare',
  nav: { section: 'Code', label: 'Compare', operation: repositoryCompare, isFor: hasCommits },
  async show(visit) {
    const { from = '', to = '', straight } = visit.query
    if (from && to) return { redirect: `${compareAddress(visit, from, to)}${straight ? '?straight=1' : ''}` }
    const main = visit.project.default_branch ?? 'main'
    return {
      title: 'Compare',
      body: (
        <div>
          <p class="lead">What one branch, tag or commit has that another has not.</p>
          {await chooser(visit, { from: from || main, to })}
        </div>
      ),
    }
  },
})

/** The commits and changes between two refs. */
export const compare = page({
  at: 'project',
  path: 'compare/*ends',
  async show(visit) {
    const [, from = '', to = ''] = /^(.+?)\.{2,3}([^.].*)$/.exec(visit.params.ends ?? '') ?? []
    if (!from || !to) throw notFound('Ref')
    const straight = visit.query.straight !== undefined
    const found = await visit.read(repositoryCompare, { id: visit.project.id, from, to, straight })
    const isSplit = visit.query.view === 'split'
    const { commits } = found
    const path = visit.path
    const mayPropose = commits.length > 0 && (await visit.may(mergeRequestsCreate, { id: visit.project.id }))
    return {
      title: `${from} … ${to}`,
      actions: mayPropose && (
        <a class="button" href={withQuery(at(visit, 'merge_requests/new'), { source_branch: to, target_branch: from })}>
          New merge request
        </a>
      ),
      crumbs: [['Compare', at(visit, 'compare')]],
      body: (
        <div>
          {await chooser(visit, { from, to, straight })}
          {found.compare_timeout && <p class="note-line">The comparison is too large: a part of it is left out.</p>}
          {commits.length === 0 && found.diffs.length === 0 ? (
            <Empty
              title={found.compare_same_ref ? 'Both are the same commit.' : `${to} has nothing that ${from} has not.`}
            />
          ) : (
            <>
              <details class="commits-between" open={commits.length <= 10}>
                <summary>
                  {commits.length} {commits.length === 1 ? 'commit' : 'commits'}
                </summary>
                <ul class="rows">
                  {commits.toReversed().map((commit) => (
                    <li>
                      <Avatar name={commit.author_name} />
                      <a class="grow ellipsis" href={at(visit, `commit/${commit.id}`)}>
                        {commit.title || 'No message'}
                      </a>
                      <span class="sha">{commit.short_id}</span>
                      <span class="meta when">
                        <Time at={commit.committed_date} />
                      </span>
                    </li>
                  ))}
                </ul>
              </details>
              {await diffs({ files: found.diffs, path, number: visit.number, isSplit })}
            </>
          )}
        </div>
      ),
    }
  },
})
