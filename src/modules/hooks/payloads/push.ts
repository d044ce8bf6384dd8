import {
  branchName,
  isZeroOid,
  type Oid,
  type RefChange,
  type RefName,
  type RefSnapshot,
  type Repository,
  tagName,
} from '../../../infra/git/index.ts'
import type { PushRow } from '../../events/index.ts'
import { protectedBranchTest } from '../../protected-branches/index.ts'
import { protectedTagTest } from '../../protected-tags/index.ts'
import { type UserRow, usersByIds } from '../../users/index.ts'
import { commitWithPaths } from './commit.ts'
import {
  type Building,
  type NamedProject,
  projectPayload,
  pushedRepositoryPayload,
  shownEmail,
  userPayload,
} from './parts.ts'

/** A project with its repository, for what git has to be asked. */
export type PushedProject = { project: NamedProject; repository: Repository; snapshot: RefSnapshot }

/** Commits of a push that are shown (contract 21 R7). */
const mostCommits = 20

/** The base of a new branch: the head of the default branch; none for the default branch itself. */
function baseOf(snapshot: RefSnapshot, { ref, old }: RefChange): Oid | null {
  if (!isZeroOid(old)) return old
  return ref === snapshot.head ? null : (snapshot.branch(branchName(snapshot.head) ?? '')?.oid ?? null)
}

/** The commits of a changed branch: the newest, oldest first, and the number of all. */
async function commitsOf({ repository, snapshot }: PushedProject, change: RefChange) {
  if (isZeroOid(change.new)) return { oids: [], total: 0 }
  const base = baseOf(snapshot, change)
  const range = { tips: [change.new], excluded: base ? [base] : [] }
  // A head that a force push has replaced may be gone.
  const isThere = base === null || (await repository.commits([base])).has(base)
  const known = isThere ? range : { ...range, excluded: [] }
  const [newest, total] = await Promise.all([
    repository.log({ ...known, limit: mostCommits }),
    repository.countCommits(known),
  ])
  return { oids: newest.toReversed(), total }
}

/** The commit of a pushed tag, and the message of an annotated one. */
async function taggedOf({ repository, snapshot }: PushedProject, change: RefChange, tag: string) {
  if (isZeroOid(change.new)) return { oids: [], total: 0, message: null }
  const peeled = snapshot.tag(tag)?.peeled
  const [annotation] = (await repository.tagObjects([change.new])).values()
  const target = annotation?.targetType === 'commit' ? annotation.target : (peeled ?? change.new)
  const isCommit = (await repository.commits([target])).has(target)
  return { oids: isCommit ? [target] : [], total: isCommit ? 1 : 0, message: annotation?.message.trimEnd() ?? null }
}

function optionsOf(options: readonly string[]): Record<string, unknown> {
  const entries = options.map((option): [string, unknown] => {
    const [, name = option, value] = /^([^=]*)=(.*)$/s.exec(option) ?? []
    return [name, value ?? true]
  })
  return Object.fromEntries(entries)
}

async function isProtected({ platform }: Building, { project }: PushedProject, ref: RefName): Promise<boolean> {
  const [branch, tag] = [branchName(ref), tagName(ref)]
  if (branch !== null) return (await protectedBranchTest(platform, project.row, [branch]))(branch)
  return tag !== null && (await protectedTagTest(platform, project.row, [tag]))(tag)
}

type Pusher = Pick<PushRow, 'user_id' | 'push_options'>

function pusherMembers(building: Building, user: UserRow | undefined) {
  return {
    user_id: user?.id ?? null,
    user_name: user?.name ?? null,
    user_username: user?.username ?? null,
    user_email: user ? shownEmail(user) : null,
    user_avatar: user ? userPayload(building, user).avatar_url : null,
  }
}

/** The payload of one changed branch or tag (contract 21 R7, Push payload). */
export async function pushPayload(building: Building, pushed: PushedProject, push: Pusher, change: RefChange) {
  const { project, repository } = pushed
  const tag = tagName(change.ref)
  const { oids, total, message } =
    tag === null ? { ...(await commitsOf(pushed, change)), message: null } : await taggedOf(pushed, change, tag)
  const commits = await repository.commits(oids)
  const shown = []
  for (const oid of oids) {
    const commit = commits.get(oid)
    if (commit) shown.push(await commitWithPaths(building, project, repository, commit))
  }
  const user = push.user_id === null ? undefined : (await usersByIds(building.db, [push.user_id])).get(push.user_id)
  const kind = tag === null ? 'push' : 'tag_push'
  return {
    object_kind: kind,
    event_name: kind,
    before: change.old,
    after: change.new,
    ref: change.ref,
    ref_protected: await isProtected(building, pushed, change.ref),
    checkout_sha: isZeroOid(change.new) ? null : (oids.at(-1) ?? change.new),
    message,
    ...pusherMembers(building, user),
    project_id: project.row.id,
    project: projectPayload(building, project),
    commits: shown,
    total_commits_count: total,
    push_options: optionsOf(push.push_options),
    repository: pushedRepositoryPayload(building, project),
  }
}

/** What hooks of the instance get once for all refs of a push (`repository_update`). */
export async function repositoryUpdatePayload(
  building: Building,
  { project }: PushedProject,
  push: Pusher,
  changes: readonly RefChange[],
) {
  const user = push.user_id === null ? undefined : (await usersByIds(building.db, [push.user_id])).get(push.user_id)
  const { user_id, user_name, user_email, user_avatar } = pusherMembers(building, user)
  return {
    event_name: 'repository_update',
    ...{ user_id, user_name, user_email, user_avatar },
    project_id: project.row.id,
    project: projectPayload(building, project),
    changes: changes.map(({ ref, old, new: next }) => ({ before: old, after: next, ref })),
    refs: [...new Set(changes.map(({ ref }) => ref))],
  }
}
