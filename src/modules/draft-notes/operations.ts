import { nothing, reading, Type, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { mergeRequest, noteAccessOf } from '../merge-requests/index.ts'
import { requireComment } from '../notes/index.ts'
import * as drafts from './drafts.ts'
import { draftChanges, newDraft, submission } from './params.ts'
import { DraftNote } from './present.ts'
import { publishDraft, publishDrafts } from './publishing.ts'

const all = '/projects/:id/merge_requests/:merge_request_iid/draft_notes'
const one = `${all}/:draft_note_id` as const
const shared = { tag: 'Draft notes', subject: mergeRequest } as const
const reads = { ...shared, method: 'GET', allow: 'follow_merge_requests', scopes: reading } as const
const writes = { ...shared, allow: 'comment_on_merge_requests', scopes: writing } as const
const merge_request_iid = t.id()
const draft = { merge_request_iid, draft_note_id: t.id() }

export const draftNotesList = operation({
  ...reads,
  id: 'draft_notes.list',
  contract: 'x.draft_note_list',
  path: all,
  summary: 'List the draft notes of the caller on a merge request, oldest first',
  params: { merge_request_iid },
  result: [200, Type.Array(DraftNote)],
  run: ({ platform, subject, actor }) => drafts.listDrafts(platform, subject, actor),
})

export const draftNotesGet = operation({
  ...reads,
  id: 'draft_notes.get',
  contract: 'x.draft_note_get',
  path: one,
  summary: 'Get a draft note of the caller',
  params: draft,
  result: [200, DraftNote],
  run: ({ platform, subject, actor, params }) => drafts.getDraft(platform, subject, actor, params.draft_note_id),
})

export const draftNotesCreate = operation({
  ...writes,
  id: 'draft_notes.create',
  contract: 'x.draft_note_create',
  method: 'POST',
  path: all,
  summary: 'Create a draft note on a merge request',
  description: 'Only its author sees it until it is published.',
  params: { merge_request_iid, ...newDraft },
  result: [201, DraftNote],
  permits: async ({ platform, subject, actor }) => requireComment(noteAccessOf(subject, actor, platform)),
  run: ({ platform, subject, actor, params }) => drafts.createDraft(platform, subject, actor, params),
})

export const draftNotesUpdate = operation({
  ...writes,
  id: 'draft_notes.update',
  contract: 'x.draft_note_update',
  method: 'PUT',
  path: one,
  summary: 'Change a draft note',
  params: { ...draft, ...draftChanges },
  result: [200, DraftNote],
  run: ({ platform, subject, actor, params: { draft_note_id: id, ...changes } }) =>
    drafts.changeDraft(platform, subject, actor, { id, ...changes }),
})

export const draftNotesDelete = operation({
  ...writes,
  id: 'draft_notes.delete',
  contract: 'x.draft_note_delete',
  method: 'DELETE',
  path: one,
  summary: 'Delete a draft note',
  params: draft,
  result: [204, nothing],
  run: ({ platform, subject, actor, params, unmodified }) =>
    drafts.deleteDraft(platform, subject, actor, { id: params.draft_note_id, unmodified }),
})

export const draftNotesPublish = operation({
  ...writes,
  id: 'draft_notes.publish',
  contract: 'x.draft_note_publish',
  method: 'PUT',
  path: `${one}/publish`,
  summary: 'Publish a draft note',
  params: draft,
  result: [204, nothing],
  run: ({ platform, subject, actor, params }) => publishDraft(platform, subject, actor, params.draft_note_id),
})

export const draftNotesPublishAll = operation({
  ...writes,
  id: 'draft_notes.publish_all',
  contract: 'x.draft_note_bulk_publish',
  method: 'POST',
  path: `${all}/bulk_publish`,
  summary: 'Publish all draft notes of the caller on a merge request',
  description: 'One mail has all of them. Reviewers have reviewed then, unless they have approved.',
  params: { merge_request_iid, ...submission },
  result: [204, nothing],
  permits: async ({ platform, subject, actor }) => requireComment(noteAccessOf(subject, actor, platform)),
  run: ({ platform, subject, actor, params, request }) =>
    publishDrafts(platform, subject, actor, { ...params, ip: request.ip }),
})
