import type { Actor } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { type Incoming, type Oid, RefConflict, type RefName, tagRef, zeroOid } from '../../infra/git/index.ts'
import { resolveRevision } from '../commits/index.ts'
import type { Project } from '../projects/index.ts'
import { moverOf, openRepositoryForWriting, RefRefused, type Repositories } from '../repositories/index.ts'
import { commitIdentity, userById } from '../users/index.ts'

export type TagMakingNeeds = {
  database: Database
  repositories: Repositories
  clock: Clock
  presentingUsers(): Promise<Parameters<typeof commitIdentity>[1]>
}

/** A tag that is to be. */
export type NewTag = {
  name: string
  /** Branch, tag or commit. */
  ref: string
  /** Makes it an annotated tag, unless it is blank. */
  message?: string
}

/** Why a tag was not made, in the words of the contract. */
export type TagRefusal = { reason: 'name' | 'exists' | 'target' | 'rule'; message: string }

/** Makes tags for the API. */
export type TagMaker = ReturnType<typeof createTagMaker>

function refusalBy(error: unknown, name: string): TagRefusal {
  if (error instanceof RefRefused) return { reason: 'rule', message: error.message }
  if (!(error instanceof RefConflict)) throw error
  const other = error.reason === 'directory' ? error.conflictsWith?.replace(/^refs\/tags\//, '') : undefined
  if (other !== undefined) return { reason: 'name', message: `Tag name conflicts with existing tag '${other}'` }
  return { reason: 'exists', message: `Tag ${name} already exists` }
}

export function createTagMaker(needs: TagMakingNeeds) {
  const { database, repositories, clock, presentingUsers } = needs

  /** The tag object of an annotated tag, whose tagger is the actor. */
  async function annotate(incoming: Incoming, actor: Actor, { name, message = '' }: NewTag, target: Oid) {
    const user = actor.kind === 'user' ? await userById(database.read, actor.userId) : null
    if (!user) throw new Error('nobody in particular cannot make a tag')
    const date = clock
      .now()
      .toISOString()
      .replace(/\d{3}Z$/, '000Z')
    const tagger = { ...commitIdentity(user, await presentingUsers()), date }
    return incoming.createTagObject({ name, target, targetType: 'commit', tagger, message })
  }

  /**
   * Makes a tag through the gate.
   * @returns null when it was made, else why it was not
   * @throws ApiError 400 while the repository is being moved
   */
  return async (project: Project, actor: Actor, tag: NewTag): Promise<TagRefusal | null> => {
    const { name, ref: revision, message = '' } = tag
    const ref: RefName | null = tagRef(name)
    if (!ref) return { reason: 'name', message: 'Tag name invalid' }
    const opened = await openRepositoryForWriting(needs, project)
    const { row, repository, snapshot } = opened
    if (snapshot.tag(name)) return { reason: 'exists', message: `Tag ${name} already exists` }
    const target = await resolveRevision(opened, revision)
    if (!target) return { reason: 'target', message: `Target ${revision} is invalid` }
    const change = (oid: Oid) => ({ ref, old: zeroOid(row.object_format), new: oid })
    const made =
      message.trim() === ''
        ? repositories.changeRefs(row, [change(target)], moverOf(actor))
        : repository.withIncoming(async (incoming) => {
            const oid = await annotate(incoming, actor, tag, target)
            await repositories.changeRefs(row, [change(oid)], moverOf(actor), incoming)
          })
    return made.then(() => null).catch((error) => refusalBy(error, name))
  }
}
