import {
  type Actor,
  badRequest,
  forbidden,
  isAdministrator,
  isExceeded,
  notFound,
  type Page,
  type PageRequest,
  type RateCounter,
  tooManyRequests,
} from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now, type Tx } from '../../infra/database/index.ts'
import type { Commit, Repository } from '../../infra/git/index.ts'
import { randomHex } from '../../infra/secrets/index.ts'
import { role } from '../access/index.ts'
import { requireCommit } from '../commits/index.ts'
import type { Project } from '../projects/index.ts'
import { openRepository, type Repositories } from '../repositories/index.ts'
import { type PresentingUsers, usersByIds } from '../users/index.ts'
import { type GivenLine, type GivenPosition, placeOfComment, requirePosition, requireWholeLine } from './position.ts'
import {
  type Authors,
  type PresentedCommitNote,
  type PresentedDiscussion,
  type PresentedNote,
  presentCommitNote,
  presentDiscussion,
  presentNote,
} from './present.ts'
import {
  type CommitPlace,
  commitDiscussion,
  deleteNote,
  holdCommitDiscussion,
  insertDiscussion,
  insertNote,
  makeThread,
  noteOfDiscussion,
  notesOfDiscussions,
  pageOfCommitDiscussions,
  pageOfCommitNotes,
  updateNote,
} from './store.ts'
import type { DiscussionRow, NotePosition, NoteRow } from './tables.ts'

export type CommitNoteNeeds = {
  database: Database
  repositories: Repositories
  clock: Clock
  presentingUsers(): Promise<PresentingUsers>
  rateCounter: RateCounter
  /** Notes that one user may write within a minute; 0 for any number (setting `notes_create_limit`). */
  notesPerMinute(): Promise<number>
}

/** What people say of commits (contract 22, x.commits_comments, x.commits_discussion_*). */
export type CommitNotes = ReturnType<typeof createCommitNotes>

/** Who says something of which commit. */
export type At = { project: Project; actor: Actor; revision: string }
/** A note within a discussion, as a path names it. */
export type NoteAt = At & { discussionId: string; noteId: number }

/** What is said, and of what. */
type NewNote = { body: string; place: CommitPlace; authorId: number; at: string }

const longestBody = 1_000_000

/** @throws ApiError 400 for nothing, and for more than is kept (contract 16, x.issue_note_create) */
function requireSound(body: string): void {
  if (body.trim() === '') throw badRequest('Note {:note=>["can\'t be blank"]}')
  if (body.length > longestBody && [...body].length > longestBody) {
    throw badRequest(`Note {:note=>["is too long (maximum is ${longestBody} characters)"]}`)
  }
}

function authorIdOf(actor: Actor): number {
  if (actor.kind !== 'user') throw forbidden()
  return actor.userId
}

/** Whoever owns the project may say when something was said. */
function mayDate({ project, actor }: At): boolean {
  return isAdministrator(actor) || project.role.level >= role.owner
}

/** @throws ApiError 403 for whoever neither wrote the note nor maintains the project */
function requireChangeable(note: NoteRow, { project, actor }: At): void {
  const isOwn = actor.kind === 'user' && actor.userId === note.author_id
  const isKeeper = isAdministrator(actor) || project.role.level >= role.maintainer
  if (note.system || !(isOwn || isKeeper)) throw forbidden()
}

const targetOf = ({ projectId, commitId }: CommitPlace) =>
  ({ project_id: projectId, noteable_type: 'Commit', noteable_id: null, commit_id: commitId }) as const

async function addNote(tx: Tx, discussion: DiscussionRow, { body, place, authorId, at }: NewNote): Promise<NoteRow> {
  const times = { created_at: at, updated_at: at }
  return insertNote(tx, { ...targetOf(place), discussion_id: discussion.id, author_id: authorId, body, ...times })
}

/** A discussion with its first note. */
async function begin(tx: Tx, note: NewNote, form: { isIndividual: boolean; position: NotePosition | null }) {
  const discussion = await insertDiscussion(tx, {
    ...targetOf(note.place),
    public_id: randomHex(20),
    individual_note: form.isIndividual,
    position: form.position && JSON.stringify(form.position),
    created_at: note.at,
  })
  return { discussion, note: await addNote(tx, discussion, note) }
}

async function noteIn(db: Database['read'], place: CommitPlace, { discussionId, noteId }: NoteAt) {
  const discussion = await commitDiscussion(db, place, discussionId)
  if (!discussion) throw notFound('Discussion')
  const note = await noteOfDiscussion(db, discussion.id, noteId)
  if (!note) throw notFound()
  return { discussion, note }
}

/** As `noteIn`, under the discussion's lock. */
async function holdNoteIn(tx: Tx, place: CommitPlace, at: NoteAt) {
  if (!(await holdCommitDiscussion(tx, place, at.discussionId))) throw notFound('Discussion')
  return noteIn(tx, place, at)
}

export function createCommitNotes(needs: CommitNoteNeeds) {
  const { database, clock, presentingUsers, rateCounter, notesPerMinute } = needs
  const db = database.read

  /** The commit, with where it is talked about. @throws ApiError 404 */
  async function find({ project, revision }: At): Promise<{ commit: Commit; repository: Repository } & CommitPlace> {
    const opened = await openRepository(needs, project)
    const commit = await requireCommit(opened, revision)
    return { commit, repository: opened.repository, projectId: project.id, commitId: commit.oid }
  }

  async function authorsOf(notes: readonly NoteRow[]): Promise<Authors> {
    const ids = notes.map(({ author_id }) => author_id)
    const [users, presenting] = await Promise.all([usersByIds(db, ids), presentingUsers()])
    return { users, presenting }
  }

  async function presentOne(note: NoteRow, discussion: DiscussionRow): Promise<PresentedNote> {
    return presentNote(note, discussion, await authorsOf([note]), null)
  }

  async function presentAll(discussions: readonly DiscussionRow[]): Promise<PresentedDiscussion[]> {
    const ids = discussions.map(({ id }) => id)
    const notes = await notesOfDiscussions(db, ids)
    const authors = await authorsOf(notes)
    const within = Map.groupBy(notes, ({ discussion_id }) => discussion_id)
    return discussions.map((one) => presentDiscussion(one, within.get(one.id) ?? [], authors, null))
  }

  /** @throws ApiError 429 for whoever writes too much */
  async function countNote(actor: Actor): Promise<void> {
    const requests = await notesPerMinute()
    if (requests === 0) return
    const throttle = { name: 'notes_create', requests, periodSeconds: 60 }
    const standing = await rateCounter.hit(`${throttle.name}:${authorIdOf(actor)}`, throttle)
    if (isExceeded(standing)) throw tooManyRequests(standing.resetsAtSeconds - standing.nowSeconds)
  }

  /** Everything that must hold before a note is written. @throws ApiError 429, 400 */
  async function admit({ actor }: At, body: string): Promise<void> {
    await countNote(actor)
    requireSound(body)
  }

  return {
    /** A page of everything that was said of a commit, oldest first. @throws ApiError 404 */
    async comments(at: At, page: PageRequest): Promise<Page<PresentedCommitNote>> {
      const found = await pageOfCommitNotes(db, await find(at), page)
      const authors = await authorsOf(found.items)
      return { ...found, items: found.items.map((note) => presentCommitNote(note, authors)) }
    },

    /** Comments on a commit, or on a line that it changes. @throws ApiError 404, 400, 429 */
    async comment(at: At, { note: body, ...line }: GivenLine & { note: string }): Promise<PresentedCommitNote> {
      const hasLine = requireWholeLine(line)
      const { commit, repository, ...place } = await find(at)
      await admit(at, body)
      const position = hasLine ? await placeOfComment(repository, commit, line) : null
      const made = { body, place, authorId: authorIdOf(at.actor), at: now(clock) }
      const { note } = await database.write((tx) => begin(tx, made, { isIndividual: position === null, position }))
      return presentCommitNote({ ...note, position }, await authorsOf([note]))
    },

    /** A page of the discussions about a commit, oldest first. @throws ApiError 404 */
    async discussions(at: At, page: PageRequest): Promise<Page<PresentedDiscussion>> {
      const found = await pageOfCommitDiscussions(db, await find(at), page)
      return { ...found, items: await presentAll(found.items) }
    },

    /** @throws ApiError 404 */
    async discussion(at: At, discussionId: string): Promise<PresentedDiscussion> {
      const discussion = await commitDiscussion(db, await find(at), discussionId)
      const [presented] = discussion ? await presentAll([discussion]) : []
      if (!presented) throw notFound('Discussion')
      return presented
    },

    /** Begins a discussion, about the commit or a line of its diff. @throws ApiError 404, 400, 429 */
    async start(
      at: At,
      { body, position: given, created_at }: { body: string; position?: GivenPosition; created_at?: string },
    ): Promise<PresentedDiscussion> {
      const { commit, repository, ...place } = await find(at)
      await admit(at, body)
      const position = given ? await requirePosition(repository, commit, given) : null
      const moment = created_at !== undefined && mayDate(at) ? created_at : now(clock)
      const made = { body, place, authorId: authorIdOf(at.actor), at: moment }
      const { discussion, note } = await database.write((tx) => begin(tx, made, { isIndividual: false, position }))
      return presentDiscussion(discussion, [note], await authorsOf([note]), null)
    },

    /** Answers in a discussion; a single note becomes a thread by it. @throws ApiError 404, 400, 429 */
    async reply(at: At, discussionId: string, body: string): Promise<PresentedNote> {
      const place = await find(at)
      if (!(await commitDiscussion(db, place, discussionId))) throw notFound('Discussion')
      await admit(at, body)
      const { note, discussion } = await database.write(async (tx) => {
        const held = await holdCommitDiscussion(tx, place, discussionId)
        if (!held) throw notFound('Discussion')
        const thread = held.individual_note ? await makeThread(tx, held.id) : held
        const made = { body, place, authorId: authorIdOf(at.actor), at: now(clock) }
        return { discussion: thread, note: await addNote(tx, thread, made) }
      })
      return presentOne(note, discussion)
    },

    /** @throws ApiError 404 */
    async note(at: NoteAt): Promise<PresentedNote> {
      const { note, discussion } = await noteIn(db, await find(at), at)
      return presentOne(note, discussion)
    },

    /** Changes what a note says. @throws ApiError 404, 403, 400 */
    async edit(at: NoteAt, body: string | undefined): Promise<PresentedNote> {
      const place = await find(at)
      const { note, discussion } = await database.write(async (tx) => {
        const before = await holdNoteIn(tx, place, at)
        requireChangeable(before.note, at)
        if (body === undefined) return before
        requireSound(body)
        return { ...before, note: await updateNote(tx, before.note.id, { body, updated_at: now(clock) }) }
      })
      return presentOne(note, discussion)
    },

    /**
     * @param requireUnmodified throws when the note has changed since the time that the caller named
     * @throws ApiError 404, 403, 412
     */
    async remove(at: NoteAt, requireUnmodified: (updatedAt: string) => void): Promise<void> {
      const place = await find(at)
      await database.write(async (tx) => {
        const { note } = await holdNoteIn(tx, place, at)
        requireChangeable(note, at)
        requireUnmodified(note.updated_at)
        await deleteNote(tx, note)
      })
    },
  }
}
