import type { Actor } from '../../api/index.ts'
import { type Oid, RefConflict, tagRef, zeroOid } from '../../infra/git/index.ts'
import type { Platform } from '../../platform/index.ts'
import { changeRefs, openRepositoryForWriting, RefRefused, writerOf } from '../../platform/repositories/index.ts'
import { personOf, resolveRevision } from '../commits/index.ts'
import type { Project } from '../projects/index.ts'
import type { NewTag } from './params.ts'

/** Why a tag was not created, with the sentence of the contract. */
type TagRefusal = { reason: 'name' | 'exists' | 'target' | 'rule'; message: string }

function refusalBy(error: unknown, name: string): TagRefusal {
  if (error instanceof RefRefused) return { reason: 'rule', message: error.message }
  if (!(error instanceof RefConflict)) throw error
  const other = error.reason === 'directory' ? error.conflictsWith?.replace(/^refs\/tags\//, '') : undefined
  if (other !== undefined) return { reason: 'name', message: `Tag name conflicts with existing tag '${other}'` }
  return { reason: 'exists', message: `Tag ${name} already exists` }
}

/** Makes a tag through the gate; with a message it is annotated. @returns null when it was made, else why it was not */
export async function makeTag(platform: Platform, project: Project, actor: Actor, tag: NewTag) {
  const { tag_name: name, ref: revision, message = '' } = tag
  const ref = tagRef(name)
  if (!ref) return { reason: 'name', message: 'Tag name invalid' }
  const opened = await openRepositoryForWriting(platform, project)
  const { row, repository, snapshot } = opened
  if (snapshot.tag(name)) return { reason: 'exists', message: `Tag ${name} already exists` }
  const target = await resolveRevision(opened, revision)
  if (!target) return { reason: 'target', message: `Target ${revision} is invalid` }
  const creating = (oid: Oid) => [{ ref, old: zeroOid(row.object_format), new: oid }]
  const made =
    message.trim() === ''
      ? changeRefs(platform, row, creating(target), writerOf(actor))
      : repository.withIncoming(async (incoming) => {
          const tagger = await personOf(platform, actor)
          const oid = await incoming.createTagObject({ name, target, targetType: 'commit', tagger, message })
          await changeRefs(platform, row, creating(oid), writerOf(actor), incoming)
        })
  return made.then(() => null).catch((error) => refusalBy(error, name))
}
