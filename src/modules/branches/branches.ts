import { type Actor, failure, notFound, type Page, type PageRequest, pageOfList } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { type BranchRef, branchRef, isZeroOid, RefConflict, type RefSnapshot, zeroOid } from '../../infra/git/index.ts'
import type { Jobs } from '../../infra/jobs/index.ts'
import { defaultBranchOf, type Project, projectById } from '../projects/index.ts'
import { type BranchRules, claimantOf, type LegacyRule, type Protection, placeOf } from '../protected-branches/index.ts'
import {
  makeFirstCommit,
  moverOf,
  type OpenedRepository,
  openRepository,
  openRepositoryForWriting,
  RefRefused,
  type Repositories,
} from '../repositories/index.ts'
import { userById } from '../users/index.ts'
import { presentBranch } from './present.ts'
import { filterBranches } from './search.ts'

export type BranchesNeeds = {
  database: Database
  repositories: Repositories
  jobs: Jobs
  clock: Clock
  protection: Pick<Protection, 'facts' | 'judge'>
  rules: Pick<BranchRules, 'put' | 'drop'>
  externalUrl: string
  /** Name of the default branch where a project names none. */
  defaultBranchName(): Promise<string>
}

export type BranchFilter = {
  search?: string
  regex?: string
  sort?: 'name' | 'name_asc' | 'updated_asc' | 'updated_desc'
}

/** A branch as the API shows it. */
export type PresentedBranch = ReturnType<typeof presentBranch>

/** The rules of branches (contract 01, 1.11–1.15). Every method may throw the errors that the contract names there. */
export type Branches = ReturnType<typeof createBranches>

/** The job behind 1.15. */
type MergedJob = { projectId: number; userId: number | null }
const mergedJob = 'branches.delete_merged'

export function createBranches(needs: BranchesNeeds) {
  const { database, repositories, jobs, clock, protection, rules, externalUrl, defaultBranchName } = needs

  const opened = (project: Pick<Project, 'id'>) => openRepository(needs, project)
  const openedForWriting = (project: Project) => openRepositoryForWriting(needs, project)

  /** What the API shows of these branches: heads, and which are merged, each for the whole page at once. */
  async function present(
    project: Project,
    actor: Actor,
    { repository, snapshot }: OpenedRepository,
    page: readonly BranchRef[],
  ) {
    const defaultName = await defaultBranchOf(project, defaultBranchName)
    const base = snapshot.branch(defaultName)?.oid
    const oids = page.map(({ oid }) => oid)
    const commits = await repository.commits(oids)
    const merged = base ? await repository.mergedInto(oids, base) : new Set()
    const factsOf = await protection.facts(
      project,
      actor,
      page.map(({ name }) => name),
    )
    const url = `${externalUrl}/${project.full_path}`
    return page.flatMap(({ name, oid }) => {
      const commit = commits.get(oid)
      if (!commit) return []
      const isDefault = name === defaultName
      const facts = {
        merged: !isDefault && oid !== base && merged.has(oid),
        isDefault,
        ...factsOf(name),
      }
      return [presentBranch(name, commit, facts, url)]
    })
  }

  async function sorted(found: OpenedRepository, branches: readonly BranchRef[], sort: BranchFilter['sort']) {
    if (sort !== 'updated_asc' && sort !== 'updated_desc') return branches
    const commits = await found.repository.commits(branches.map(({ oid }) => oid))
    const dateOf = ({ oid }: BranchRef) => commits.get(oid)?.committer.date ?? ''
    const direction = sort === 'updated_asc' ? 1 : -1
    const compare = (a: string, b: string) => (a < b ? -direction : a > b ? direction : 0)
    // The list is by name already, and sorting keeps the order of equals.
    return [...branches].sort((a, b) => compare(dateOf(a), dateOf(b)))
  }

  /** @throws ApiError 400 when the name can be no branch's */
  function refInPath(name: string) {
    const ref = branchRef(name)
    if (!ref) throw failure(400, 'The branch refname is invalid')
    return ref
  }

  /** @throws ApiError 400 for a name that can be none, 404 where there is none of it */
  async function requireBranch(project: Project, name: string): Promise<void> {
    refInPath(name)
    if (!(await opened(project)).snapshot.branch(name)) throw notFound('Branch')
  }

  async function presentOne(project: Project, actor: Actor, name: string): Promise<PresentedBranch> {
    const found = await opened(project)
    const branch = found.snapshot.branch(name)
    const [presented] = branch ? await present(project, actor, found, [branch]) : []
    if (!presented) throw notFound('Branch')
    return presented
  }

  /** An empty repository gets a first commit on its default branch, so that there is something to branch from. */
  async function fillEmpty(project: Project, actor: Actor, found: OpenedRepository): Promise<OpenedRepository> {
    if (found.snapshot.branches.length > 0) return found
    const branch = branchRef(await defaultBranchOf(project, defaultBranchName))
    const user = actor.kind === 'user' ? await userById(database.read, actor.userId) : null
    if (!branch || !user) return found
    const author = { name: user.name, email: user.email }
    await makeFirstCommit(repositories, clock, {
      row: found.row,
      branch,
      author,
      message: 'Add README.md',
      readme: '',
      mover: moverOf(actor),
    }).catch((error) => {
      if (error instanceof RefRefused) throw failure(400, error.message)
      // Another request made it first; then that one will do.
      if (!(error instanceof RefConflict)) throw error
    })
    return opened(project)
  }

  /** Deletes every unprotected branch whose head the default branch has; one that moved is kept (contract 1.15). */
  async function removeMerged({ projectId, userId }: MergedJob): Promise<void> {
    const project = await projectById(database.read, projectId)
    if (!project) return
    const { row, repository, snapshot } = await opened(project)
    const defaultName = await defaultBranchOf(project, defaultBranchName)
    const base = snapshot.branch(defaultName)?.oid
    if (!base) return
    const candidates = snapshot.branches.filter(({ name, oid }) => name !== defaultName && oid !== base)
    const merged = await repository.mergedInto([...new Set(candidates.map(({ oid }) => oid))], base)
    const nobody = { userId: null, level: 0, administrator: false }
    const removable = candidates.filter(({ oid }) => merged.has(oid) && !isZeroOid(oid))
    const names = removable.map(({ name }) => name)
    const { isProtected } = await protection.judge(project, nobody, names)
    for (const { name, oid } of removable) {
      const ref = branchRef(name)
      if (!ref || isProtected(name)) continue
      const change = { ref, old: oid, new: zeroOid(row.object_format) }
      await repositories.changeRefs(row, [change], { userId, via: 'api' }).catch((error) => {
        if (!(error instanceof RefRefused || error instanceof RefConflict)) throw error
      })
    }
  }

  jobs.define<MergedJob>({ kind: mergedJob, run: removeMerged })

  return {
    /** A page of branches by name, or by the date of their heads (contract 1.11). */
    async list(
      project: Project,
      actor: Actor,
      filter: BranchFilter,
      page: PageRequest,
    ): Promise<Page<PresentedBranch>> {
      const found = await opened(project)
      const token = page.kind === 'keyset' ? (page.after?.[0] as string | undefined) : undefined
      const all = token === undefined ? found.snapshot.branches : following(found.snapshot, token)
      const filtered = await sorted(found, filterBranches(all, filter), filter.sort)
      const { items, total, hasNext } = pageOfList(filtered, page)
      const last = items.at(-1)
      const next = page.kind === 'keyset' && hasNext && last ? { page_token: last.name } : undefined
      return { items: await present(project, actor, found, items), total, hasNext, next }
    },

    /** @throws ApiError 404 Branch (contract 1.12) */
    get(project: Project, actor: Actor, name: string): Promise<PresentedBranch> {
      refInPath(name)
      return presentOne(project, actor, name)
    },

    async exists(project: Project, name: string): Promise<boolean> {
      refInPath(name)
      return (await opened(project)).snapshot.branch(name) !== null
    },

    /** Creates a branch at what `ref` means: branch, tag, full ref or commit (contract 1.13). */
    async create(project: Project, actor: Actor, name: string, ref: string): Promise<PresentedBranch> {
      const created = branchRef(name)
      if (!created) throw failure(400, 'Branch name is invalid')
      const found = await fillEmpty(project, actor, await openedForWriting(project))
      if (found.snapshot.branch(name)) throw failure(400, 'Branch already exists')
      const start = await found.repository.resolveCommit(ref, found.snapshot)
      if (!start) throw failure(400, `Invalid reference name: ${ref}`)
      const change = { ref: created, old: zeroOid(found.row.object_format), new: start }
      await repositories.changeRefs(found.row, [change], moverOf(actor)).catch((error) => {
        throw creationFailure(error)
      })
      return presentOne(project, actor, name)
    },

    /**
     * Deletes a branch (contract 1.14).
     * @param requireUnmodifiedSince throws when the head is newer than the caller allows
     */
    async remove(
      project: Project,
      actor: Actor,
      name: string,
      requireUnmodifiedSince: (authoredAt: string) => void,
    ): Promise<void> {
      const ref = refInPath(name)
      const found = await openedForWriting(project)
      const branch = found.snapshot.branch(name)
      if (!branch) throw notFound('Branch')
      const commit = (await found.repository.commits([branch.oid])).get(branch.oid)
      if (commit) requireUnmodifiedSince(commit.author.date)
      const change = { ref, old: branch.oid, new: zeroOid(found.row.object_format) }
      await repositories.changeRefs(found.row, [change], moverOf(actor)).catch((error) => {
        if (error instanceof RefRefused) throw failure(400, error.message)
        if (error instanceof RefConflict) throw failure(400, 'Failed to remove branch')
        throw error
      })
    },

    /** Makes or changes the rule of exactly this branch's name (contract 01, x.branch_protect). */
    async protect(project: Project, actor: Actor, name: string, wanted: LegacyRule): Promise<PresentedBranch> {
      await requireBranch(project, name)
      await rules.put(placeOf(project), claimantOf(actor, project), name, wanted)
      return presentOne(project, actor, name)
    },

    /** Removes the rule of exactly this branch's name, if there is one (contract 01, x.branch_unprotect). */
    async unprotect(project: Project, actor: Actor, name: string): Promise<PresentedBranch> {
      await requireBranch(project, name)
      await rules.drop(placeOf(project), claimantOf(actor, project), name)
      return presentOne(project, actor, name)
    },

    /** Stores the job that deletes merged branches (contract 1.15). */
    async removeMergedLater(project: Project, actor: Actor): Promise<void> {
      const payload = { projectId: project.id, userId: moverOf(actor).userId }
      await database.write((tx) => jobs.enqueue(tx, mergedJob, payload, { uniqueKey: String(project.id) }))
    },
  }
}

/** The branches behind a name, which need not exist any more. */
function following(snapshot: RefSnapshot, name: string): readonly BranchRef[] {
  const index = snapshot.branchIndex(name)
  return snapshot.branches.slice(snapshot.branches[index]?.name === name ? index + 1 : index)
}

function creationFailure(error: unknown): unknown {
  if (error instanceof RefRefused) return failure(400, error.message)
  if (!(error instanceof RefConflict)) return error
  if (error.reason === 'directory' && error.conflictsWith) {
    const other = error.conflictsWith.replace(/^refs\/heads\//, '')
    return failure(400, `Branch name conflicts with existing branch '${other}'`)
  }
  return failure(400, 'Branch already exists')
}
