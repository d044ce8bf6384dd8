import { type AwardEmojiRow, noteById } from '../../notes/index.ts'
import { noteAttributes, type Target, targetOf } from './note.ts'
import { type Building, type NamedProject, oneUserPayload, projectPayload, utc } from './parts.ts'

/** What an emoji was awarded to: a comment with its target, or the target itself. */
async function awardedOn(building: Building, project: NamedProject, award: AwardEmojiRow) {
  const { noteable_type: type, noteable_id: id } = award
  if (type !== 'Note') {
    const target = await targetOf(building, project, award)
    return target && { target, member: target.member, url: target.url }
  }
  const note = id === null ? null : await noteById(building.db, id)
  const target: Target | null = note && (await targetOf(building, project, note))
  if (!note || !target) return null
  const shown = await noteAttributes(building, note, target)
  return { target, member: { note: shown, ...target.member }, url: shown.url }
}

/** The payload of an emoji that was awarded or taken back (contract 21 R7, `Emoji Hook`). */
export async function emojiPayload(
  building: Building,
  project: NamedProject,
  award: AwardEmojiRow,
  action: 'award' | 'revoke',
) {
  const on = await awardedOn(building, project, award)
  if (!on) return null
  const payload = {
    object_kind: 'emoji',
    event_type: action,
    user: await oneUserPayload(building, award.user_id),
    project_id: project.row.id,
    project: projectPayload(building, project),
    object_attributes: {
      user_id: award.user_id,
      created_at: utc(award.created_at),
      id: award.id,
      name: award.name,
      awardable_type: award.noteable_type,
      awardable_id: award.noteable_id,
      updated_at: utc(award.updated_at),
      action,
      awarded_on_url: on.url,
    },
    ...on.member,
  }
  return { payload, completions: on.target.completions }
}
