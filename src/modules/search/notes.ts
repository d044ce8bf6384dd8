import { dayOf, isAdministrator, type Page, pageOfList } from '../../api/index.ts'
import { role } from '../access/index.ts'
import { type NoteAccess, type NoteRow, notesWith, presentFoundNotes, type SearchedNotes } from '../notes/index.ts'
import { callerOf, hasProject, isOfProjectBelow, may, projectsWithRoles, visibleProjects } from '../projects/index.ts'
import type { Search } from './types.ts'

/** So many of the newest notes with the words are looked at; those that the caller may not read are left out of them. */
const mostCandidates = 1_000

/** The kinds of noteables whose notes are found, and what reading them asks of their project. */
const kinds = ['Issue', 'MergeRequest'] as const
const abilities = { Issue: 'read_issues', MergeRequest: 'read_merge_requests' } as const

const callerIn = ({ platform, actor }: Search) => callerOf(platform.database.read, actor, dayOf(platform.clock.now()))

async function whereOf(search: Search): Promise<SearchedNotes> {
  const { project, group } = search.place
  if (project) return { projectId: project.id }
  const db = search.platform.database.read
  const visible = visibleProjects(db, await callerIn(search), [])
  const column = 'notes.project_id'
  const inProjects = group ? isOfProjectBelow(db, column, group.id, visible, false) : hasProject(db, column, visible)
  return { inProjects }
}

/** The projects of notes whose internal notes the caller may read, and those whose noteables of a kind. */
async function projectsOf(search: Search, notes: readonly NoteRow[]) {
  const { platform } = search
  const ids = [...new Set(notes.flatMap((note) => note.project_id ?? []))]
  const projects = await projectsWithRoles(platform.database.read, await callerIn(search), ids)
  return new Map(projects.map((project) => [project.id, project]))
}

type Parents = ReadonlyMap<string, NonNullable<NoteAccess['noteable']>>

const keyOf = (type: string, id: number | null) => `${type} ${id}`

/** The issues and merge requests of notes that the caller may read. */
async function readableParents({ platform, actor }: Search, notes: readonly NoteRow[]): Promise<Parents> {
  const answers = platform.ports['issuables.kinds'](platform)
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const ofKind = notes.filter((note) => note.noteable_type === kind)
      const ids = [...new Set(ofKind.flatMap((note) => note.noteable_id ?? []))]
      const readable = await answers[kind]?.readable(platform, actor, ids)
      const rows = (await answers[kind]?.byIds(platform.database.read, [...(readable ?? [])])) ?? []
      return rows.map((row) => [keyOf(kind, row.id), row] as const)
    }),
  )
  return new Map(found.flat())
}

/** The notes that the caller may read: their parent, and of internal ones also the notes of planners. */
async function readableNotes(search: Search, notes: readonly NoteRow[]) {
  const { actor } = search
  const [parents, projects] = await Promise.all([readableParents(search, notes), projectsOf(search, notes)])
  const isReadable = (note: NoteRow) => {
    const project = projects.get(note.project_id ?? 0)
    const ability = abilities[note.noteable_type as keyof typeof abilities]
    if (!project || !ability || !may(actor, project, ability)) return false
    if (!parents.has(keyOf(note.noteable_type, note.noteable_id))) return false
    const plans = isAdministrator(actor) || project.role.level >= role.planner
    return !note.internal || plans || note.author_id === actor.userId
  }
  return { notes: notes.filter(isReadable), parents }
}

/** Notes of issues and merge requests by their body; notes of the server are left out. */
export async function findNotesFor(search: Search): Promise<Page<object>> {
  const { platform, actor, terms, page } = search
  const options = { sort: search.params.sort ?? 'desc', limit: mostCandidates }
  const candidates = await notesWith(platform.database.read, await whereOf(search), terms, options)
  const { notes, parents } = await readableNotes(search, candidates)
  const accessOf = (note: NoteRow): NoteAccess | null => {
    const noteable = parents.get(keyOf(note.noteable_type, note.noteable_id))
    return noteable ? { noteable, actor, mayModerate: false, mayBackdate: false } : null
  }
  const shown = pageOfList(notes, page)
  return { ...shown, items: await presentFoundNotes(platform, shown.items, accessOf) }
}
