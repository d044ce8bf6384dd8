import type { Actor } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { longestDescription } from '../../issuables/index.ts'
import type { FollowUp } from '../../issues/index.ts'
import { resolveThreads, type Thread, threadIds, threadsByIds } from '../../notes/index.ts'
import { may, type Project } from '../../projects/index.ts'
import { type UserRow, usersByIds } from '../../users/index.ts'
import { mergeRequestByIid } from '../core/store.ts'
import { issuableOf } from '../subject.ts'
import { accessOf } from './kind.ts'

/** Threads whose texts are read at once; a note may have a million characters. */
const batch = 20

/** A thread as a task of a list, with its first note as a quotation. The text of an internal note is not copied. */
function itemOf({ id, body, internal, replies, author_id }: Thread, url: string, users: ReadonlyMap<number, UserRow>) {
  const more = replies === 0 ? '' : ` (+${replies} ${replies === 1 ? 'comment' : 'comments'})`
  const head = `- [ ] @${users.get(author_id)?.username ?? 'ghost'} started a [discussion](${url}#note_${id}):${more}`
  const quotation = body.split('\n').map((line) => `    > ${line}`.trimEnd())
  return internal ? head : [head, '', ...quotation].join('\n')
}

type Listed = { iid: number; ids: readonly number[]; url: string; mayReadInternal: boolean | undefined }

/** Lists threads, as many as fit a description. */
async function describe(platform: Platform, { iid, ids, url, mayReadInternal = false }: Listed): Promise<string> {
  const db = platform.database.read
  const noun = ids.length === 1 ? 'discussion' : 'discussions'
  let text = `The following ${noun} from !${iid} should be addressed:`
  for (let start = 0; start < ids.length; start += batch) {
    const threads = await threadsByIds(db, ids.slice(start, start + batch))
    const users = await usersByIds(
      db,
      threads.map(({ author_id }) => author_id),
    )
    for (const thread of threads) {
      if (thread.internal && !mayReadInternal) continue
      const longer = `${text}\n\n${itemOf(thread, url, users)}`
      if (Buffer.byteLength(longer) > longestDescription) return text
      text = longer
    }
  }
  return text
}

/** The threads of a merge request that a new issue follows up (contract 16, x.issue_create). */
export async function followUpOf(
  platform: Platform,
  project: Project,
  { iid, discussionId }: { iid: number; discussionId: string | undefined },
  actor: Actor,
): Promise<FollowUp | null> {
  const mayRead = (['read_merge_requests', 'follow_merge_requests'] as const).every((one) => may(actor, project, one))
  const row = mayRead ? await mergeRequestByIid(platform.database.read, project.id, iid) : null
  const ids = row ? await threadIds(platform.database.read, issuableOf(row), discussionId) : []
  if (!row || ids.length === 0) return null
  const url = `${platform.externalUrl}/${project.full_path}/-/merge_requests/${iid}`
  const { mayResolve, mayReadInternal } = accessOf({ project, row }, actor, platform)
  return {
    description: await describe(platform, { iid, ids, url, mayReadInternal }),
    async resolve(tx, origin) {
      if (mayResolve) await resolveThreads(tx, ids, origin)
    },
  }
}
