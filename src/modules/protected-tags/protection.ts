import { type Actor, dayOf } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { may, type Project, type ProjectRow } from '../projects/index.ts'
import {
  type Claimant,
  claimantOf,
  countingGroups,
  entriesOf,
  isGranted,
  type Protection,
  placeOf,
  wildcardMatcher,
} from '../protected-branches/index.ts'
import { tagRulesFor } from './store.ts'

export type TagProtectionNeeds = { database: Database; clock: Clock; protection: Pick<Protection, 'isLiveKey'> }

/** Says which tags of one project are protected, and which of these one claimant may make. */
export type TagJudge = { isProtected(tag: string): boolean; mayCreate(tag: string): boolean }

/** Answers who may do what with the tags of projects. */
export function createTagProtection({ database, clock, protection }: TagProtectionNeeds) {
  const db = database.read

  /** Loads the rules that may match these tags, or all of them, in a constant number of queries. */
  async function judge(project: ProjectRow, who: Claimant, tags?: readonly string[]): Promise<TagJudge> {
    const rows = await tagRulesFor(db, project.id, tags)
    const ids = rows.map(({ id }) => id)
    const lists = await entriesOf(db, ['create'], ids)
    const rules = rows.map(({ id, name }) => ({ matches: wildcardMatcher(name), create: lists.get(id)?.create ?? [] }))
    const entries = rules.flatMap(({ create }) => create)
    const { userId, deployKeyId: keyId } = who
    const isNamed = keyId !== undefined && entries.some((entry) => entry.deploy_key_id === keyId)
    const circumstances = {
      groups:
        keyId === undefined
          ? await countingGroups(db, placeOf(project), entries, userId, dayOf(clock.now()))
          : new Map(),
      hasLiveKey: isNamed && (await protection.isLiveKey(project, keyId)),
    }
    const rulesOf = (tag: string) => rules.filter(({ matches }) => matches(tag))
    return {
      isProtected: (tag) => rulesOf(tag).length > 0,
      mayCreate(tag) {
        const matching = rulesOf(tag)
        const isOn = ({ create }: (typeof rules)[number]) =>
          isGranted(create, { isInherited: false }, who, circumstances)
        return matching.length === 0 || matching.some(isOn)
      },
    }
  }

  return {
    judge,

    /** Which tags are protected; asked of any tag unless names are given. */
    async protectedTags(project: ProjectRow, tags?: readonly string[]): Promise<(tag: string) => boolean> {
      const nobody = { userId: null, level: 0, administrator: false }
      return (await judge(project, nobody, tags)).isProtected
    },

    /** Whether the actor may make a tag, or delete it where it is protected: the role, and the rules. */
    async mayCreate(project: Project, actor: Actor, tag: string): Promise<boolean> {
      if (!may(actor, project, 'push_code')) return false
      return (await judge(project, claimantOf(actor, project), [tag])).mayCreate(tag)
    },
  }
}

export type TagProtection = ReturnType<typeof createTagProtection>
