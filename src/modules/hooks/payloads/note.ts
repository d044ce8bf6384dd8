import { type IssueRow, issuesByIds } from '../../issues/index.ts'
import { type MergeRequestRow, mergeRequestById } from '../../merge-requests/index.ts'
import { discussionsByIds, type NoteRow } from '../../notes/index.ts'
import { snippetById } from '../../snippets/index.ts'
import type { Completion } from '../tables.ts'
import { issueAttributes } from './issue.ts'
import { lastCommitAt, mergeRequestAttributes } from './merge-request.ts'
import {
  type Building,
  type NamedProject,
  oneUserPayload,
  projectPayload,
  repositoryPayload,
  utc,
  visibilityLevel,
  webUrl,
} from './parts.ts'

/** What a comment or a reaction is about. */
export type Target = {
  /** The member of the payload: `issue`, with its value. */
  member: object
  /** Its address. */
  url: string
  confidential: boolean
  completions: readonly Completion[]
}

async function issueTarget(building: Building, project: NamedProject, row: IssueRow): Promise<Target> {
  const { attributes } = await issueAttributes(building, project, row)
  return { member: { issue: attributes }, url: attributes.url, confidential: row.confidential, completions: [] }
}

async function requestTarget(building: Building, project: NamedProject, row: MergeRequestRow): Promise<Target> {
  const { attributes } = await mergeRequestAttributes(building, project, row)
  const completions = [lastCommitAt(['merge_request', 'last_commit'], row)]
  return { member: { merge_request: attributes }, url: attributes.url, confidential: false, completions }
}

async function snippetTarget(building: Building, project: NamedProject, id: number): Promise<Target | null> {
  const row = await snippetById(building.db, id)
  if (!row) return null
  const url = `${webUrl(building, project)}/-/snippets/${row.id}`
  const snippet = {
    id: row.id,
    title: row.title,
    description: row.description,
    author_id: row.author_id,
    project_id: row.project_id,
    created_at: utc(row.created_at),
    updated_at: utc(row.updated_at),
    file_name: row.file_name,
    type: 'ProjectSnippet',
    visibility_level: visibilityLevel(row),
    url,
  }
  return { member: { snippet }, url, confidential: false, completions: [] }
}

function commitTarget(building: Building, project: NamedProject, sha: string): Target {
  const url = `${webUrl(building, project)}/-/commit/${sha}`
  const completions = [{ path: ['commit'], projectId: project.row.id, sha, form: 'commit' as const }]
  return { member: { commit: { id: sha, url } }, url, confidential: false, completions }
}

type Place = { noteable_type: string; noteable_id: number | null; commit_id: string | null }

/** The target of a comment or a reaction in a project; null when it is gone, or is none of which hooks tell. */
export async function targetOf(building: Building, project: NamedProject, place: Place): Promise<Target | null> {
  const { noteable_type: type, noteable_id: id, commit_id: sha } = place
  if (type === 'Commit' && sha !== null) return commitTarget(building, project, sha)
  if (id === null) return null
  if (type === 'Issue') {
    const [row] = await issuesByIds(building.db, [id])
    return row ? issueTarget(building, project, row) : null
  }
  if (type === 'MergeRequest') {
    const row = await mergeRequestById(building.db, id)
    return row && requestTarget(building, project, row)
  }
  return type === 'Snippet' ? snippetTarget(building, project, id) : null
}

/** A comment without what happened to it. */
export async function noteAttributes(building: Building, note: NoteRow, { url }: Target) {
  const [discussion] = await discussionsByIds(building.db, [note.discussion_id])
  const position = discussion?.position ?? null
  return {
    attachment: null,
    author_id: note.author_id,
    change_position: null,
    commit_id: note.commit_id,
    created_at: utc(note.created_at),
    discussion_id: discussion?.public_id ?? null,
    id: note.id,
    internal: note.internal,
    line_code: null,
    note: note.body,
    noteable_id: note.noteable_id,
    noteable_type: note.noteable_type,
    original_position: position,
    position,
    project_id: note.project_id,
    resolved_at: utc(discussion?.resolved_at ?? null),
    resolved_by_id: discussion?.resolved_by_id ?? null,
    resolved_by_push: null,
    st_diff: null,
    system: note.system,
    type: position ? 'DiffNote' : discussion?.individual_note === false ? 'DiscussionNote' : null,
    updated_at: utc(note.updated_at),
    updated_by_id: null,
    description: note.body,
    url: `${url}#note_${note.id}`,
  }
}

/** The payload of a comment (contract 21 R7, `Note Hook`). */
export async function notePayload(
  building: Building,
  project: NamedProject,
  note: NoteRow,
  target: Target,
  action: 'create' | 'update',
) {
  return {
    object_kind: 'note',
    event_type: target.confidential || note.internal ? 'confidential_note' : 'note',
    user: await oneUserPayload(building, note.author_id),
    project_id: project.row.id,
    project: projectPayload(building, project),
    object_attributes: { ...(await noteAttributes(building, note, target)), action },
    repository: repositoryPayload(building, project),
    ...target.member,
  }
}
