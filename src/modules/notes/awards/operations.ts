import {
  type Actor,
  ApiError,
  notFound,
  nothing,
  type Operation,
  pageOf,
  reading,
  t,
  writing,
} from '../../../api/index.ts'
import { operation, type Platform, type Subject } from '../../../platform/index.ts'
import type { Kind } from '../discussions/kind.ts'
import { noteIn } from '../discussions/load.ts'
import { declared } from '../discussions/operations.ts'
import type { NoteableRef } from '../noteable.ts'
import * as awards from './award-emoji.ts'
import { AwardEmoji } from './present.ts'

type AwardOperation = 'list' | 'get' | 'create' | 'delete'
type Contracts = Readonly<Partial<Record<AwardOperation, string>>>

/** A kind of noteables that emoji can be awarded to. */
export type AwardableKind<S, A extends string> = Kind<S, A> & {
  /** The ability to see the noteable. */
  show: NoInfer<A>
  awardContracts: Contracts
  /** Of the awards of its notes. */
  noteAwardContracts?: Contracts
  /** Of the list of the awards of all of its notes. */
  noteAwardsContract?: string | undefined
}

/** Declares the operations on award emoji of a kind of noteables, and of their notes (contract 16, "Operations: reactions"). */
export function awardOperations<S, A extends string>(kind: AwardableKind<S, A>): readonly Operation[] {
  const { name, noun, path, accessOf, awardContracts, noteAwardContracts } = kind
  const ofNoteable = {
    ...{ name: `${name}_awards`, noun, path, contracts: awardContracts },
    targetOf: async (_platform: Platform, subject: S, actor: Actor) => accessOf(subject, actor, _platform).noteable,
  }
  const ofNote = {
    ...{ name: `${name}_note_awards`, noun: `a note of ${noun}`, path: `${path}/notes/:note_id` },
    contracts: noteAwardContracts ?? {},
    async targetOf(platform: Platform, subject: S, actor: Actor, noteId: number) {
      const access = accessOf(subject, actor, platform)
      return awards.awardableNote((await noteIn(platform.database.read, access, { noteId })).note)
    },
  }
  return declared([...operationsOf(kind, ofNoteable), ...operationsOf(kind, ofNote), ofAllNotes(kind)])
}

/** What all operations of a kind have in common. */
const commonOf = <S, A extends string>({ tag, tier }: Kind<S, A>) => ({ tag, ...(tier && { tier }) })

function ofAllNotes<S, A extends string>(kind: AwardableKind<S, A>) {
  const { name, noun, path, subject, show, accessOf, noteAwardsContract: contract } = kind
  return contract === undefined
    ? undefined
    : operation({
        ...{ ...commonOf(kind), subject: awarded(subject), allow: show, scopes: reading, method: 'GET' as const },
        id: `${name}_note_awards.list_all`,
        contract,
        path: `${path}/note_award_emoji`,
        summary: `List the award emoji of all notes of ${noun}, oldest first`,
        result: [200, pageOf(AwardEmoji)],
        run: ({ platform, subject, actor, page }) =>
          awards.listNoteAwards(platform, accessOf(subject, actor, platform), page),
      })
}

type Target<S> = {
  name: string
  noun: string
  path: string
  contracts: Contracts
  targetOf(platform: Platform, subject: S, actor: Actor, noteId: number): Promise<NoteableRef>
}

const asMissingAward = (error: unknown) =>
  error instanceof ApiError && error.status === 404 ? notFound('Award Emoji') : error

/** A subject that is called an award emoji where it cannot be found, unless its project or group cannot be. */
function awarded<S, A extends string>(subject: Subject<S, A>): Subject<S, A> {
  return {
    ...subject,
    async find(platform, request, actor) {
      try {
        return await subject.find(platform, request, actor)
      } catch (error) {
        // Throws when the parent is what cannot be found.
        await subject.nested?.parent.find(platform, request, actor)
        throw asMissingAward(error)
      }
    },
  }
}

/** A path parameter that is there only below a note. */
const noteIdOf = (params: object) => (params as { note_id?: number }).note_id ?? 0

function operationsOf<S, A extends string>(kind: AwardableKind<S, A>, target: Target<S>) {
  const { name, noun, contracts } = target
  const path = `${target.path}/award_emoji`
  const note = (target.path.endsWith(':note_id') ? { note_id: t.id() } : {}) as Record<never, never>
  const reads = { ...commonOf(kind), subject: awarded(kind.subject), allow: kind.show, scopes: reading }
  const writes = { ...commonOf(kind), subject: kind.subject, allow: kind.write, scopes: writing }
  const targetOf: Target<S>['targetOf'] = (...asked) =>
    target.targetOf(...asked).catch((error) => Promise.reject(asMissingAward(error)))
  return [
    contracts.list &&
      operation({
        ...reads,
        id: `${name}.list`,
        contract: contracts.list,
        method: 'GET',
        path,
        summary: `List the award emoji of ${noun}, oldest first`,
        params: note,
        result: [200, pageOf(AwardEmoji)],
        run: async ({ platform, subject, actor, params, page }) =>
          awards.listAwards(platform, await targetOf(platform, subject, actor, noteIdOf(params)), page),
      }),
    contracts.get &&
      operation({
        ...reads,
        id: `${name}.get`,
        contract: contracts.get,
        method: 'GET',
        path: `${path}/:award_id`,
        summary: `Get an award emoji of ${noun}`,
        params: { ...note, award_id: t.id() },
        result: [200, AwardEmoji],
        run: async ({ platform, subject, actor, params }) =>
          awards.getAward(platform, await targetOf(platform, subject, actor, noteIdOf(params)), params.award_id),
      }),
    contracts.create &&
      operation({
        ...writes,
        id: `${name}.create`,
        contract: contracts.create,
        method: 'POST',
        path,
        summary: `Award an emoji to ${noun}`,
        params: { ...note, name: t.required(t.string({ description: 'Short name without colons.' })) },
        result: [201, AwardEmoji],
        async run({ platform, subject, actor, params }) {
          const found = await target.targetOf(platform, subject, actor, noteIdOf(params))
          return awards.awardEmoji(platform, found, actor, params.name)
        },
      }),
    contracts.delete &&
      operation({
        ...writes,
        id: `${name}.delete`,
        contract: contracts.delete,
        method: 'DELETE',
        path: `${path}/:award_id`,
        summary: `Remove an award emoji of ${noun}`,
        description: 'For the user who awarded it, and for administrators.',
        params: { ...note, award_id: t.id() },
        result: [204, nothing],
        async run({ platform, subject, actor, params }) {
          const found = await target.targetOf(platform, subject, actor, noteIdOf(params))
          await awards.removeAward(platform, found, actor, params.award_id)
        },
      }),
  ].map((one) => one || undefined)
}
