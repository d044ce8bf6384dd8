import { type Actor, requireSignedIn } from '../../../api/index.ts'
import type { Oid, Person, Repository } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { personOf } from '../../commits/index.ts'
import { type ProjectSettings, settingsOf } from '../../projects/index.ts'
import { commitIdentity, usersByIds } from '../../users/index.ts'
import { approvalsOf } from '../approvals/store.ts'
import { closedByMerge } from '../closing/closing.ts'
import { referencesOf, squashesOnMerge } from '../core/present.ts'
import type { ProjectMergeRequest } from '../subject.ts'
import type { MergePlan } from './commits.ts'
import { fromTemplate, type MessageFacts, mergeMessage } from './message.ts'

/** Commits that a message can name. */
const mostNamed = 100

type Sides = { source: Oid; target: Oid; repository: Repository; method: ProjectSettings['merge_method'] }

type Wishes = { merge_commit_message?: string; squash_commit_message?: string; squash?: boolean }

async function factsOf(
  platform: Platform,
  { project, row }: ProjectMergeRequest,
  merger: Person,
  userId: number,
  sides: Sides,
): Promise<MessageFacts & { squasher: Person }> {
  const db = platform.database.read
  const { repository, source, target } = sides
  const approvals = (await approvalsOf(db, [row.id])).get(row.id) ?? []
  const approvers = approvals.map(({ user_id }) => user_id)
  const [users, { commit_email_hostname }, oids, closes] = await Promise.all([
    usersByIds(db, [...approvers, row.author_id, userId]),
    platform.settings.current(),
    repository.log({ tips: [source], excluded: [target], limit: mostNamed }),
    closedByMerge(platform, row),
  ])
  const commits = await repository.commits(oids)
  const identity = (id: number) => {
    const user = users.get(id)
    return user && commitIdentity(user, { commitEmailHostname: commit_email_hostname })
  }
  return {
    row,
    reference: referencesOf(row, project, { kind: 'instance' }).full,
    url: `${platform.externalUrl}/${project.full_path}/-/merge_requests/${row.iid}`,
    closes,
    mergedBy: merger,
    approvedBy: approvers.flatMap((id) => identity(id) ?? []),
    commits: oids.flatMap((oid) => commits.get(oid) ?? []),
    squasher: { ...merger, ...identity(row.author_id) },
  }
}

/** What a merge consists of: by the request's wishes, the caller's, and the project's settings (contract 19, x.mr_merge). */
export async function planOf(
  platform: Platform,
  found: ProjectMergeRequest,
  actor: Actor,
  sides: Sides,
  wishes: Wishes,
): Promise<MergePlan> {
  const { project, row } = found
  const settings = settingsOf(project)
  const merger = await personOf(platform, actor)
  const { squasher, ...facts } = await factsOf(platform, found, merger, requireSignedIn(actor).userId, sides)
  const squashes = squashesOnMerge({ squash: row.squash || wishes.squash === true }, project)
  const { merge_commit_template: template, squash_commit_template: squashTemplate } = settings
  const squashMessage =
    wishes.squash_commit_message || (squashTemplate ? fromTemplate(squashTemplate, facts) : row.title)
  return {
    ...{ method: sides.method, source: sides.source, target: sides.target, merger },
    squash: squashes ? { author: squasher, message: squashMessage } : null,
    message: wishes.merge_commit_message || (template ? fromTemplate(template, facts) : mergeMessage(facts)),
  }
}
