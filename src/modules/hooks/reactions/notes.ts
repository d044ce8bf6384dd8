import type { Events, Reaction } from '../../../platform/index.ts'
import { awardById, noteById } from '../../notes/index.ts'
import { fire, fireOneOf } from '../firing/fire.ts'
import { emojiPayload } from '../payloads/emoji.ts'
import { notePayload, targetOf } from '../payloads/note.ts'
import { building, namedProject } from '../payloads/parts.ts'
import type { Completion } from '../tables.ts'

const written =
  (action: 'create' | 'update'): Reaction<Events['note.created']> =>
  async (platform, tx, { noteId, projectId }) => {
    if (projectId === null) return
    await fireOneOf(platform, tx, ['note', 'confidential_note'], projectId, async () => {
      const [note, project] = [await noteById(tx, noteId), await namedProject(tx, projectId)]
      const built = await building(platform, tx)
      const target = note && project && (await targetOf(built, project, note))
      if (!note || !project || !target) return null
      const own = () => notePayload(built, project, note, target, action)
      const isConfidential = target.confidential || note.internal
      return {
        trigger: isConfidential ? 'confidential_note' : 'note',
        payloads: { own, completions: target.completions },
      }
    })
  }

/** Calls hooks for a comment; those for confidential comments on confidential issues, and for internal ones. */
export const hookNewNotes = written('create')
export const hookChangedNotes = written('update')

const awarded =
  (action: 'award' | 'revoke'): Reaction<Events['emoji.awarded']> =>
  async (platform, tx, { awardId, projectId }) => {
    if (projectId === null) return
    const completions: Completion[] = []
    await fire(
      platform,
      tx,
      { trigger: 'emoji', projectId },
      {
        completions,
        async own() {
          const [award, project] = [await awardById(tx, awardId), await namedProject(tx, projectId)]
          const found = award && project && (await emojiPayload(await building(platform, tx), project, award, action))
          if (!found) return null
          completions.push(...found.completions)
          return found.payload
        },
      },
    )
  }

export const hookAwards = awarded('award')
export const hookRevokedAwards = awarded('revoke')
