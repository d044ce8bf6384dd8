import { type AnswerOf, notFound } from '../../../../../api/index.ts'
import { valuesByKey } from '../../../../../infra/grouping/index.ts'
import {
  type DiscussionObject,
  type DraftNoteObject,
  type ItemOf,
  type mergeRequestsDiffFiles,
  mergeRequestsVersions,
} from '../../../../operations.ts'
import type { Visit } from '../../../../page.ts'
import type { Line } from '../../../../parts/diff/index.ts'
import { readNoteAwards, rightsIn, type Talk } from '../../../../parts/discussion/index.ts'
import { requestConversation } from '../names.ts'
import type { ReadRequest } from '../read.ts'
import { readReview } from '../review/box.tsx'
import { mayApplyIn } from '../suggestions.tsx'

export type Version = ItemOf<typeof mergeRequestsVersions>
export type DiffFile = AnswerOf<typeof mergeRequestsDiffFiles>['files'][number]

/** The versions of the diff, newest first, and the one that is shown. */
export type Versions = { versions: readonly Version[]; shown: Version | null; isNewest: boolean }

/** Reads the newest hundred versions. @throws ApiError 404 for another one */
export async function readVersions(visit: Visit, { call }: ReadRequest): Promise<Versions> {
  const { items: versions } = await visit.read(mergeRequestsVersions, { ...call, per_page: 100 })
  const [newest = null] = versions
  const wanted = visit.query.version
  const shown = wanted === undefined ? newest : versions.find(({ id }) => String(id) === wanted)
  if (shown === undefined) throw notFound('Version')
  return { versions, shown, isNewest: shown === newest }
}

/** Threads on lines, by the lines of the shown version, and those on lines of other versions by their files. */
export type LineThreads = {
  talk: Talk
  byLine: ReadonlyMap<string, readonly DiscussionObject[]>
  byFile: ReadonlyMap<string, readonly DiscussionObject[]>
  /** Drafts of the caller that answer no thread, by the lines of the shown version. */
  draftsByLine: ReadonlyMap<string, readonly DraftNoteObject[]>
  /** Whether the caller may apply what comments suggest. */
  mayApply: boolean
  /** Whether there are more discussions than were read. */
  isCut: boolean
}

const keyOf = (path: string, before: number | null | undefined, after: number | null | undefined) =>
  `${before ?? ''} ${after ?? ''} ${path}`

function keyAt(path: string, line: Line | null): string {
  if (line === null) return keyOf(path, null, null)
  return keyOf(path, line.kind === 'add' ? null : line.before, line.kind === 'del' ? null : line.after)
}

/** The threads on a line of a file, or on the file as a whole. */
export function threadsAt({ byLine }: LineThreads, path: string, line: Line | null): readonly DiscussionObject[] {
  return byLine.get(keyAt(path, line)) ?? []
}

/** The drafts of the caller on a line of a file, or on the file as a whole. */
export function draftsAt({ draftsByLine }: LineThreads, path: string, line: Line | null): readonly DraftNoteObject[] {
  return draftsByLine.get(keyAt(path, line)) ?? []
}

const perPage = 100
/** Discussions are read up to here. */
const mostPages = 20

type Listed = { items: DiscussionObject[]; hasNext?: boolean; total?: number } | null

async function readDiscussions(
  visit: Visit,
  { call }: ReadRequest,
): Promise<{ all: DiscussionObject[]; isCut: boolean }> {
  const all: DiscussionObject[] = []
  for (let page = 1; page <= mostPages; page += 1) {
    const found = (await visit.find(requestConversation.list, { ...call, page, per_page: perPage })) as Listed
    all.push(...(found?.items ?? []))
    if (!found || found.items.length < perPage) return { all, isCut: false }
  }
  return { all, isCut: true }
}

const positionOf = ({ notes }: DiscussionObject) => notes[0]?.position

type Commits = { head_sha: string | null; base_sha: string | null }

const isBetween = (position: Commits | undefined, { head_commit_sha: head, base_commit_sha: base }: Version) =>
  position?.head_sha === head && position.base_sha === base

/** Whether a thread is on a line of a version. */
export const isOf = (thread: DiscussionObject, version: Version): boolean => isBetween(positionOf(thread), version)

/** Reads the threads on lines. Nothing is said about lines where the discussion may not be read. */
export async function readLineThreads(visit: Visit, of: ReadRequest, shown: Version): Promise<LineThreads> {
  const { call } = of
  const [{ all, isCut }, noteAwards, review, rights] = await Promise.all([
    readDiscussions(visit, of),
    readNoteAwards(visit, requestConversation, call),
    readReview(visit, of),
    rightsIn(visit, requestConversation, call),
  ])
  const threads = all.filter((one) => positionOf(one) !== undefined)
  const [own, others] = [threads.filter((one) => isOf(one, shown)), threads.filter((one) => !isOf(one, shown))]
  const itself = (thread: DiscussionObject) => thread
  return {
    talk: {
      ...{ conversation: requestConversation, call, entries: [], awards: [], noteAwards },
      ...{ ...rights, review },
      pages: { page: 1, hasNext: false, last: 1 },
    },
    byLine: valuesByKey(
      own,
      (thread) => {
        const { new_path: path = '', old_line: before, new_line: after } = positionOf(thread) ?? {}
        return keyOf(path, before, after)
      },
      itself,
    ),
    byFile: valuesByKey(others, (thread) => positionOf(thread)?.new_path ?? '', itself),
    draftsByLine: valuesByKey(
      (review?.drafts ?? []).filter((draft) => draft.discussion_id === null && isBetween(draft.position, shown)),
      ({ position: { new_path: path, old_line: before, new_line: after } }) => keyOf(path ?? '', before, after),
      (draft) => draft,
    ),
    mayApply: await mayApplyIn(visit, threads),
    isCut,
  }
}
