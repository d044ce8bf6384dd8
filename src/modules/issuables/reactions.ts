import type { Events, Reaction } from '../../platform/index.ts'
import { replaceUnusableLabels } from '../labels/index.ts'
import { noteById } from '../notes/index.ts'
import { projectById } from '../projects/index.ts'
import { ghostUserId } from '../users/index.ts'
import { answersOf } from './answers.ts'
import { removeAssignments } from './assignees/store.ts'
import { giveEventsTo, hasEvents, replaceMilestones } from './events/store.ts'
import type { ReadCommit } from './issuable.ts'
import { labelsInUse, replaceLabels } from './labels/store.ts'
import { recordMentions, recordReferences } from './references/cross-references.ts'

/** Gives the events and time logs of a removed user to the ghost user (contract 18, "Shared head of every record"). */
export const moveEvents: Reaction<Events['user.removed']> = async (platform, tx, { userId }) => {
  if (await hasEvents(tx, userId)) await giveEventsTo(tx, userId, await ghostUserId(platform, tx))
}

/**
 * Unassigns a member who leaves, where that is requested (contract 21, x.group_members_remove). It is no change of what they were
 * assigned to.
 */
export const unassignEndingMember: Reaction<Events['members.ending']> = async (_platform, tx, ending) => {
  if (ending.unassignIssuables) await removeAssignments(tx, ending.userId, ending.source)
}

/** After a promotion, issuables and events have the label of the group (contract 18, "Rules"). */
export const mergeLabels: Reaction<Events['labels.merged']> = (_platform, tx, { labelIds, intoId }) =>
  replaceLabels(tx, labelIds, intoId)

/** Events have the milestone that replaces others. */
export const mergeMilestoneEvents: Reaction<Events['milestones.merged']> = (_platform, tx, merged) =>
  replaceMilestones(tx, merged)

/** Gives a project that has moved labels of its own in place of those it no longer inherits (contract 17, "Rules"). */
export const keepLabels: Reaction<Events['project.moved']> = async (platform, tx, { projectId }) => {
  const project = await projectById(tx, projectId)
  if (!project) return
  const parent = { kind: 'project' as const, id: projectId, namespaceId: project.namespace_id }
  const replaced = await replaceUnusableLabels(platform, tx, parent, await labelsInUse(tx, projectId))
  for (const [former, intoId] of replaced) await replaceLabels(tx, [former], intoId, projectId)
}

/** Follows a note that was written or changed: cross references and mentions (contract 16, "Rules", x.issue_note_create). */
export const followNote: Reaction<Events['note.created']> = async (platform, tx, { noteId, userId, at }) => {
  const note = await noteById(tx, noteId)
  if (!note) return
  const { body: text, internal, noteable_type: type, noteable_id: id, commit_id: sha, project_id: projectId } = note
  const origin = { userId, at }
  if (sha !== null && projectId !== null) {
    const commit: ReadCommit = { type: 'Commit', projectId, sha }
    return recordReferences(platform, tx, commit, text, origin)
  }
  const [issuable] = (await answersOf(platform, type)?.byIds(tx, [id ?? 0])) ?? []
  if (!issuable) return
  // The target of a reference in an internal note would show that there is such a note.
  if (!internal) await recordReferences(platform, tx, issuable, text, origin)
  await recordMentions(platform, tx, issuable, { text, noteId, internal }, origin)
}
