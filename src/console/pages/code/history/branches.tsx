import {
  branchesCreate,
  branchesDelete,
  branchesDeleteMerged,
  branchesList,
  branchesProtect,
  branchesUnprotect,
} from '../../../operations.ts'
import { page, type Visit } from '../../../page.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { Do, Field, Form } from '../../../parts/form.tsx'
import { Empty, Icon, Pages, Time } from '../../../parts/parts.tsx'
import { at, atPath } from '../places.ts'
import { compareAddress } from './compare.tsx'

type Branch = Awaited<ReturnType<typeof listed>>['items'][number]

function listed({ read, project: { id }, query: { search, sort }, number }: Visit) {
  const order = sort === 'name' ? ('name_asc' as const) : ('updated_desc' as const)
  return read(branchesList, { id, page: number, sort: order, diverging_commit_counts: true, ...(search && { search }) })
}

/** What a branch and the default branch do not share. The bars grow slower than the numbers, which differ by powers of ten. */
function Divergence({ counts }: { counts: Branch['diverging_commit_counts'] }) {
  if (!counts) return <span class="divergence"></span>
  const { ahead, behind } = counts
  const barOf = (commits: number) => Math.min(31, Math.log2(commits + 1) * 3)
  const words = `${behind} behind, ${ahead} ahead of the default branch`
  return (
    <span class="divergence" title={words}>
      <span class="num" aria-hidden="true">
        {behind}
      </span>
      <svg viewBox="0 0 64 6" width={64} height={6} focusable="false" role="img" aria-label={words}>
        <rect class="behind" x={31 - barOf(behind)} width={barOf(behind)} height={6} />
        <rect class="axis" x={31.5} width={1} height={6} />
        <rect class="ahead" x={33} width={barOf(ahead)} height={6} />
      </svg>
      <span class="num" aria-hidden="true">
        {ahead}
      </span>
    </span>
  )
}

type BranchRowProps = { visit: Visit; branch: Branch; mayDelete: boolean; mayProtect: boolean }

function BranchRow({ visit, branch, mayDelete, mayProtect }: BranchRowProps) {
  const { name, commit } = branch
  const { project } = visit
  return (
    <li>
      <Icon name="branch" />
      <div class="grow">
        <a class="strong" href={atPath(visit, 'tree', name)} data-branch={name}>
          {name}
        </a>
        {branch.default && <span class="tagged">default</span>}
        {branch.protected && (
          <span class="tagged">
            <Icon name="lock" />
            protected
          </span>
        )}
        {branch.merged && !branch.default && <span class="tagged">merged</span>}
        <p class="sub ellipsis">
          <a class="sha" href={at(visit, `commit/${commit.id}`)}>
            {commit.short_id}
          </a>{' '}
          {commit.title}
        </p>
      </div>
      <span class="meta when">
        <Time at={commit.committed_date} />
      </span>
      {!branch.default && <Divergence counts={branch.diverging_commit_counts} />}
      {!branch.default && (
        <a class="soft" href={compareAddress(visit, project.default_branch ?? '', name)}>
          Compare
        </a>
      )}
      {mayProtect && (
        <Do
          visit={visit}
          performs={branch.protected ? branchesUnprotect : branchesProtect}
          call={{ id: project.id, branch: name }}
          kind="quiet"
        >
          {branch.protected ? 'Unprotect' : 'Protect'}
        </Do>
      )}
      {mayDelete && !branch.default && !branch.protected && (
        <Confirm label="Delete" question={`Delete ${name}? Commits that no other branch has are lost.`}>
          <Do visit={visit} performs={branchesDelete} call={{ id: project.id, branch: name }} kind="danger">
            Delete the branch
          </Do>
        </Confirm>
      )}
    </li>
  )
}

function NewBranch({ visit }: { visit: Visit }) {
  const { id, default_branch: ref } = visit.project
  return (
    <details class="new" open={visit.refused?.operation === branchesCreate.id}>
      <summary>New branch</summary>
      <Form visit={visit} performs={branchesCreate} call={{ id }} then={at(visit, 'branches')} class="stack">
        <Field visit={visit} operation={branchesCreate} name="branch" options={{ label: 'Name' }} />
        <Field visit={visit} operation={branchesCreate} name="ref" options={{ label: 'From', value: ref }} />
        <button class="primary">Create the branch</button>
      </Form>
    </details>
  )
}

/** The branches, newest first, or by their names. */
export const branches = page({
  at: 'project',
  path: 'branches',
  nav: { section: 'Code', label: 'Branches', operation: branchesList },
  performs: [branchesCreate, branchesDelete, branchesDeleteMerged, branchesProtect, branchesUnprotect],
  async show(visit) {
    const { id } = visit.project
    const [found, mayCreate, mayDelete, mayDeleteMerged, mayProtect] = await Promise.all([
      listed(visit),
      visit.may(branchesCreate, { id }),
      visit.may(branchesDelete, { id, branch: '' }),
      visit.may(branchesDeleteMerged, { id }),
      visit.may(branchesProtect, { id, branch: '' }),
    ])
    return {
      title: 'Branches',
      actions: (
        <>
          <form method="get" class="inline-search" action={at(visit, 'branches')}>
            <input type="search" name="search" value={visit.query.search ?? ''} placeholder="Name" aria-label="Name" />
          </form>
          {mayDeleteMerged && (
            <Confirm label="Delete merged" question="Delete all branches that are merged and not protected?">
              <Do visit={visit} performs={branchesDeleteMerged} call={{ id }} kind="danger">
                Delete the merged branches
              </Do>
            </Confirm>
          )}
        </>
      ),
      body: (
        <div>
          {found.items.length === 0 ? (
            <Empty title={visit.query.search ? 'No branch has such a name.' : 'No branches yet.'} />
          ) : (
            <ul class="rows">
              {found.items.map((branch) => (
                <BranchRow visit={visit} branch={branch} mayDelete={mayDelete} mayProtect={mayProtect} />
              ))}
            </ul>
          )}
          <Pages path={visit.path} page={visit.number} of={found} />
          {mayCreate && <NewBranch visit={visit} />}
        </div>
      ),
    }
  },
})
